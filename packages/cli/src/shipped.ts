import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// The build of the one-file agent puts the texts of these files here, by their path in the package.
declare const SVC_SHIPPED: Readonly<Record<string, string>> | undefined

const HANDLERS = 'handlers/'

const texts = typeof SVC_SHIPPED === 'undefined' ? undefined : SVC_SHIPPED
const near = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** Whether this program is the one-file agent, which holds the shipped files itself. */
export const isOneFile = texts !== undefined

/** Returns the text of a file that comes with the command, by its path in the package. */
export const shippedText = (path: string): string => texts?.[path] ?? readFileSync(near(path), 'utf8')

/** Returns the texts of the shipped handlers by their names. */
export function shippedHandlers(): ReadonlyMap<string, string> {
  const names =
    texts === undefined
      ? readdirSync(near(HANDLERS))
      : Object.keys(texts).flatMap((path) => (path.startsWith(HANDLERS) ? [path.slice(HANDLERS.length)] : []))
  return new Map(names.map((name) => [name, shippedText(`${HANDLERS}${name}`)]))
}

/** Returns the file of the one-file agent: this program, or one in the package; undefined in a checkout. */
export function oneFileAgent(): string | undefined {
  const file = isOneFile ? fileURLToPath(import.meta.url) : near('agent/svc-agent.mjs')
  return existsSync(file) ? file : undefined
}
