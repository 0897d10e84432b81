import pg from 'pg'
import { blockOf } from '../docs/page.ts'

/** The passwords that stand where the page has dots, in the order of the page. */
const PASSWORDS = ['of-the-owner', 'of-the-app']

/** Addresses of a database for its owner and for the service. */
export interface TwoRoles {
  readonly owner: string
  readonly app: string
}

/** Runs one statement at a time: a database is made outside of transactions. */
export async function runScript(url: string, script: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of script.split(';\n')) if (statement.trim() !== '') await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Makes the database and the roles of docs/deployment.md on a server, as the page says. */
export async function twoRoles(server: string): Promise<TwoRoles> {
  const [passwords, page] = [[...PASSWORDS], blockOf('docs/deployment.md', 'create role svc_owner')]
  const script = page.replaceAll("'…'", () => `'${passwords.shift()}'`)
  const [before = '', after = ''] = script.split('\\c svc\n')
  const inside = Object.assign(new URL(server), { pathname: '/svc' })
  await runScript(server, before)
  await runScript(inside.href, after)
  const as = (username: string, password = '') => Object.assign(new URL(inside), { username, password }).href
  return { owner: as('svc_owner', PASSWORDS[0]), app: as('svc_app', PASSWORDS[1]) }
}
