const SAFE = /^[\w@%+=:,./-]+$/

/**
 * Returns `text` as one word of a POSIX shell, for commands that people copy: a name from outside can neither
 * end the command nor add another.
 */
export const shellWord = (text: string): string =>
  SAFE.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
