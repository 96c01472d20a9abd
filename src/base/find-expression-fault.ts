import jsonata from "jsonata";
import { describeExpressionFault, longestExpression } from "./expression-fault.ts";

/** What is wrong with how a JSONata expression is written, without evaluating it; undefined when nothing is. */
export function findExpressionFault(expression: string): string | undefined {
  if (expression.trim() === "") return "it is empty";
  if (expression.length > longestExpression) return `it is longer than ${longestExpression} characters`;
  try {
    jsonata(expression);
    return undefined;
  } catch (error) {
    return describeExpressionFault(error);
  }
}
