/** The npm that runs this script, which npm's own variable names: a program and its first arguments. */
export const NPM: readonly [program: string, first: readonly string[]] =
  process.env.npm_execpath === undefined ? ['npm', []] : [process.execPath, [process.env.npm_execpath]]
