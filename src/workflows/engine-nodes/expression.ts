import { z } from "zod";

/**
 * A field that is an expression as it stands and has to give true or false. Nothing, which is null here, does not hold; other values are not taken
 * for one of the two.
 */
export const condition = (description: string) =>
  z
    .preprocess(
      (value) => (value === null ? false : value),
      z.boolean("must give true or false, for example $input.price > 2"),
    )
    .meta({ expression: true, description });

/** A field that is an expression as it stands and may give anything; null where it finds nothing. */
export const anyExpression = (description: string) => z.unknown().meta({ expression: true, description });
