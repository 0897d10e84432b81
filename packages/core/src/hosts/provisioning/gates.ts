/** Conditions for making a server, in the order of answers. */
export const GATES = ['live_opt_in', 'credential', 'catalog', 'template', 'spend_ceiling'] as const
export type Gate = (typeof GATES)[number]

/** Which gates are open. */
export type OpenGates = Readonly<Record<Gate, boolean>>

/** Returns the closed gates that matter: steps that take servers away need a credential alone. */
export const closedGates = (gates: OpenGates, isCleaning: boolean): readonly Gate[] =>
  GATES.filter((gate) => !gates[gate] && (gate === 'credential' || !isCleaning))
