import { createPasswordHashing, type PasswordHashing } from "../../src/identity/password-hashing.ts";

const real = createPasswordHashing();

/**
 * The real hashing, asked once by a worker for each password and each comparison: nearly every file signs the same person up and in, and each
 * time would take a core for a tenth of a second.
 */
export const rememberedHashing: PasswordHashing = {
  ...real,
  hash: remember((password: string) => real.hash(password)),
  verify: remember((question: { hash: string; password: string }) => real.verify(question)),
};

/** A refusal is not kept: it says how busy it was, not what the answer is. */
function remember<Question, Answer>(
  ask: (question: Question) => Promise<Answer>,
): (question: Question) => Promise<Answer> {
  const answers = new Map<string, Promise<Answer>>();
  return (question) => {
    const key = JSON.stringify(question);
    const answer = answers.get(key) ?? ask(question);
    answers.set(key, answer);
    answer.catch(() => answers.delete(key));
    return answer;
  };
}
