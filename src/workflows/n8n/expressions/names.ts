/** What nodes of the file are called here, and how much of it is read. */
export type Names = {
  /** Canvas id of what gives the output of a node, by the name of that node. */
  idOf: (nodeName: string) => string | undefined;
  /** Canvas id of the only node that leads to the one with the expression. */
  before: string | undefined;
  /** Refuses the file where it has more expressions than are read. */
  count: (source: string) => void;
};
