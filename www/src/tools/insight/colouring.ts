/** What the colours of the grid of chunks tell. */

export const COLOURINGS = ["size", "presence", "age"] as const;

export type Colouring = (typeof COLOURINGS)[number];
