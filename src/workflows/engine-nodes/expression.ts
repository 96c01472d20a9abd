import { z } from "zod";

/** A field that is an expression as it stands and may give anything; null where it finds nothing. */
export const anyExpression = (description: string) => z.unknown().meta({ expression: true, description });
