/** Whether a name never leads to a public address (RFC 6761, 6762, 7686, and the private-use `internal`). */
export const isPrivateName = (name: string): boolean =>
  /(?:^|\.)(?:localhost|local|internal|arpa|onion)$/.test(name)
