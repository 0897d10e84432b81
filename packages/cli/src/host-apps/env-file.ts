import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Problem } from '@svc/core'

/** One assignment of the file: a name, and a value between single quotes, as the agent writes it. */
const ASSIGNMENT = /([A-Za-z_][A-Za-z0-9_]*)='((?:[^']|'\\'')*)'\n/y

/**
 * Reads the variables of an application from the file of shell assignments that handlers get.
 * @throws Problem `invalid-input` for a file of another form
 */
export async function readEnvFile(path: string): Promise<Record<string, string>> {
  const text = await readFile(path, 'utf8')
  const entries: [string, string][] = []
  ASSIGNMENT.lastIndex = 0
  for (let at = 0; at < text.length; at = ASSIGNMENT.lastIndex) {
    const [, name = '', value = ''] = ASSIGNMENT.exec(text) ?? []
    if (name === '')
      throw new Problem('invalid-input', { detail: `${path} is no list of NAME='value' lines` })
    entries.push([name, value.replaceAll("'\\''", "'")])
  }
  return Object.fromEntries(entries)
}

/** The variables that the agent was given for a job; none when there is no file of them. */
export const givenEnv = async (path: string | undefined): Promise<Record<string, string>> =>
  path !== undefined && existsSync(path) ? readEnvFile(path) : {}
