/** A call as it goes over the wire. */
export type Call = {
  url: string;
  body: Record<string, unknown>;
  /** Headers besides the key and the type of the body. */
  headers: Record<string, string>;
};

/** Where the examples take the key from, so that it stands in no script and in no shell's history. */
export const keyVariable = "SWITCHYARD_API_KEY";
