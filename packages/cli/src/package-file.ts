import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Returns the path of a file of a package that the command needs, such as `turndown/lib/turndown.js`. */
export const packageFile = (name: string): string => require.resolve(name)
