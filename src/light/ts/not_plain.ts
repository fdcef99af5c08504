/** What ends a call in the light build: something that is not plain. The engine does the call. */
export class NotPlain extends Error {}
