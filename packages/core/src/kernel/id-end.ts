/** Fewest characters of the end of an id that may stand for it. */
export const MIN_END_CHARS = 4

const END = /^[0-9a-z]{1,26}$/

/** Whether `name` may be the end of an id: lower-case letters and digits, without the prefix. */
export const isIdEnd = (name: string): boolean => name.length >= MIN_END_CHARS && END.test(name)
