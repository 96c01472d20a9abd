import type { Mapper } from "../mapped.ts";
import { listOf, type Reader, textOf, valueAt } from "../reader.ts";
import { app } from "./app.ts";

type Said = { role: string; content: unknown };

/** The messages of a conversation, by any of the names that n8n has for them. */
function messagesOf(read: Reader): Said[] {
  const rows = ["messages.values", "messages.messageValues", "prompt.messages", "responses.values"].flatMap((path) =>
    listOf(read.raw(path)),
  );
  return rows.map((row) => ({
    role: textOf(valueAt(row, "role"), "user"),
    content: read.translate(valueAt(row, "content") ?? valueAt(row, "message") ?? "", "message"),
  }));
}

const joined = (said: Said[], roles: string[]): string | undefined =>
  said
    .filter(({ role }) => roles.includes(role))
    .map(({ content }) => textOf(content))
    .join("\n\n") || undefined;

/** One question to a model of a service. */
const ask =
  (to: string): Mapper =>
  (read) => {
    if (!["", "text", "chat"].includes(textOf(read.raw("resource"))))
      return { missing: "Only questions in text are taken over. Look for another action of the service." };
    for (const name of ["options", "simplify"]) read.raw(name);
    const said = messagesOf(read);
    const model = read.value("modelId") ?? read.value("chatModel") ?? read.value("model");
    if (said.some(({ role }) => role === "assistant")) read.remark("Earlier answers of the conversation are left out.");
    return { to, parameters: { model, prompt: joined(said, ["user"]), system: joined(said, ["system"]) } };
  };

/** A chain or an agent: the question goes to the model of the organization. */
const answer: Mapper = (read) => {
  const said = messagesOf(read);
  const system = read.value("options.systemMessage") ?? joined(said, ["system", "SystemMessagePromptTemplate"]);
  for (const name of ["promptType", "options", "needsFallback"]) read.raw(name);
  if (read.raw("hasOutputParser") === true) read.remark("Its answer is text; no parser makes fields of it.");
  read.remark("Its model, memory and tools are left out: it asks the model of your installation once.");
  return {
    to: "ai_answer",
    parameters: { prompt: read.value("text") ?? read.value("prompt") ?? joined(said, ["user"]), system },
  };
};

const deepl = app({
  title: "DeepL",
  usual: { resource: "language", operation: "translate" },
  rules: [
    {
      when: { operation: "translate" },
      to: "deepl_translate_text",
      fields: { texts: (read) => [read.value("text")], targetLang: "translateTo" },
    },
  ],
});

export const modelNodes: Record<string, Mapper> = {
  openAi: ask("openai_create_response"),
  anthropic: ask("anthropic_create_message"),
  googleGemini: ask("gemini_generate_content"),
  chainLlm: answer,
  agent: answer,
  deepL: deepl,
};
