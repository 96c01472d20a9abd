import { defineProvider } from "../../contract/provider.ts";
import { deeplCredential } from "./credential.ts";

export const provider = defineProvider({
  id: "deepl",
  title: "DeepL",
  description: "Translate text.",
  synonyms: ["translation", "language"],
  credential: deeplCredential,
});
