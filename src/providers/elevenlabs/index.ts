import { defineProvider } from "../../contract/provider.ts";
import { elevenlabsCredential } from "./credential.ts";

export const provider = defineProvider({
  id: "elevenlabs",
  title: "ElevenLabs",
  section: "ai",
  description: "Turn text into speech.",
  synonyms: ["voice", "text to speech", "tts", "audio"],
  credential: elevenlabsCredential,
});
