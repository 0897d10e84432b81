/** Every event. */
export const ALL_EVENTS = '*'

/** Returns the pattern of a type's group, such as `job.*`. */
const groupOf = (type: string) => `${type.split('.')[0]}.*`

/** Whether an endpoint may ask for this: `*`, one of the types, or a group of them. */
export const isEventPattern = (pattern: string, types: readonly string[]): boolean =>
  pattern === ALL_EVENTS || types.some((type) => pattern === type || pattern === groupOf(type))

/** Patterns that a type fits, as endpoints spell them. */
export const patternsOf = (type: string): readonly string[] => [ALL_EVENTS, type, groupOf(type)]
