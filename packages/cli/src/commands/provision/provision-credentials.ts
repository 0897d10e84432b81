import type { CredentialView } from '@svc/core/adapters'
import { Problem } from '@svc/core/client'
import type { Handler } from '../../program/command-run.ts'
import { ago, type Page, stateColour, table } from '../../terminal/render.ts'

interface Known {
  readonly credentials: readonly CredentialView[]
}
interface CredentialOptions {
  readonly provider?: string
}

const credentialsTable = (credentials: readonly CredentialView[], page: Page): string =>
  table(
    [
      { title: 'PROVIDER', text: ({ provider }) => provider },
      { title: 'STATE', text: ({ state }) => state, colour: ({ state }) => stateColour(state) },
      { title: 'FROM', text: ({ source }) => source },
      { title: 'VERIFIED', text: ({ verified_at: at }) => (at === 0 ? 'never' : ago(at, page)) },
      { title: 'DIGEST', narrow: 'leaves', text: ({ fingerprint }) => fingerprint },
    ],
    credentials,
    page,
  )

/** Shows the known state of tokens. */
export const showCredentials: Handler<object> = async (run) => {
  const answer = await run.operate<Known>('provision-credentials.show', {})
  run.print(answer, (page) => credentialsTable(answer.credentials, page))
  if (answer.credentials.length === 0) run.hint('No token yet: svc provision credential set stores one.')
}

/** Stores a token, which is asked for at a terminal and else the next line of standard input. */
export const setCredential: Handler<CredentialOptions> = async (run) => {
  const { provider = 'hetzner' } = run.options
  const token = (await run.io.readSecret('Token: ')).trim()
  if (token === '') throw new Problem('invalid-input', { detail: 'no token was given' })
  const answer = await run.operate<Known>('provision-credentials.set', { provider, secret: token })
  run.print(answer, (page) => credentialsTable(answer.credentials, page))
  run.hint('svc provision credential verify asks the provider whether it is good.')
}

/** Verifies a token, or forgets it. */
export const changeCredential =
  (verb: 'verify' | 'clear'): Handler<CredentialOptions> =>
  async (run) => {
    const { provider = 'hetzner' } = run.options
    const answer = await run.operate<Known>(`provision-credentials.${verb}`, { provider })
    run.print(answer, (page) => credentialsTable(answer.credentials, page))
  }
