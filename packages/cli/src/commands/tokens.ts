import type { TokenView } from '@svc/core/adapters'
import type { Command } from 'commander'
import { given, type Handler } from '../program/command-run.ts'
import { idColumn } from '../terminal/id-column.ts'
import { ago, expiry, type Page, table } from '../terminal/render.ts'
import { plain } from '../terminal/terminal.ts'
import { examples, operating, type Run } from './declare.ts'
import { byId, listWithTenants, type NameOfTenant } from './tenant-names.ts'

/** `svc tokens …` */
export function declareTokens(program: Command, run: Run): void {
  const tokens = program.command('tokens')
  const issue = operating(tokens, 'tokens.issue')
    .requiredOption('--role <role>', 'its rights: a role of staff, or with --tenant one of a tenant')
    .option('--tenant <tenant>', 'name or id of the tenant that it is for')
    .option('--label <text>', 'its purpose')
    .option('--expires <iso>', 'when it ends, ISO-8601; without it the token is good until it is revoked')
    .action(run(async () => issueToken))
  examples(issue, 'svc tokens issue --role developer --tenant acme --label pipeline --expires 2030-01-01')
  const list = operating(tokens, 'tokens.list').action(run(async () => listTokens))
  examples(list, 'svc tokens list --json')
  const revoke = operating(tokens, 'tokens.revoke', '<id>').action(run(async () => revokeToken))
  examples(revoke, 'svc tokens revoke tkn_01…')
}

/** API tokens as people read them. */
export const tokensTable = (tokens: readonly TokenView[], page: Page, nameOf: NameOfTenant = byId): string =>
  table(
    [
      idColumn(tokens, page),
      { title: 'LABEL', narrow: 'shrinks', text: ({ label }) => label },
      { title: 'ROLE', text: ({ role }) => role },
      {
        title: 'TENANT',
        narrow: 'leaves',
        text: ({ tenant_id }) => (tenant_id === undefined ? '' : nameOf(tenant_id)),
      },
      { title: 'CREATED', narrow: 'leaves', text: ({ created_at }) => ago(created_at, page) },
      {
        title: 'LAST USED',
        text: ({ last_used_at }) => (last_used_at === undefined ? 'never' : ago(last_used_at, page)),
      },
      { title: 'EXPIRES', text: ({ expires_at }) => expiry(expires_at, page) },
    ],
    tokens,
    page,
  )

/** Flags of `svc tokens issue`. */
export interface IssueTokenOptions {
  readonly role: string
  readonly tenant?: string
  readonly label?: string
  readonly expires?: string
}

/** Issues a token and prints it, which nobody can do again. */
export const issueToken: Handler<IssueTokenOptions> = async (run) => {
  const { role, tenant, label, expires } = run.options
  const input = given({ role, tenant, label, expires })
  const answer = await run.operate<{ token: TokenView; secret: string }>('tokens.issue', input)
  run.print(answer, (page) => `${tokensTable([answer.token], page)}\ntoken  ${plain(answer.secret)}\n`)
  run.hint('The token is shown this once: store it now, for example as SERVICE_TOKEN of the pipeline.')
}

/** Lists the tokens. */
export const listTokens: Handler<object> = async (run) => {
  type Listed = { readonly tokens: readonly TokenView[] }
  const { answer, nameOf } = await listWithTenants(run, 'tokens.list', ({ tokens }: Listed) => tokens)
  run.print(answer, (page) => tokensTable(answer.tokens, page, nameOf))
  if (answer.tokens.length === 0) run.hint('No API tokens yet: svc tokens issue --role ROLE makes one.')
}

/** Ends a token. */
export const revokeToken: Handler<object> = async (run) => {
  const answer = await run.operate<{ token: TokenView }>('tokens.revoke', { token: run.arg(0) })
  run.print(answer, () => `${plain(answer.token.id)} is revoked\n`)
}
