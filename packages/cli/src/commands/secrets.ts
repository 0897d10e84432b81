import { newDataKey, Problem } from '@svc/core'
import type { RotatedBatch, SecretCounts } from '@svc/core/adapters'
import type { Command } from 'commander'
import { type CommandRun, given, type Handler } from '../program/command-run.ts'
import { EXIT } from '../terminal/failure.ts'
import { facts, type Page, table } from '../terminal/render.ts'
import { plain } from '../terminal/terminal.ts'
import { examples, operating, type Run } from './declare.ts'

/** `svc secrets …` */
export function declareSecrets(program: Command, run: Run): void {
  const secrets = program.command('secrets')
  const mint = secrets
    .command('mint-key')
    .description('make a key for SERVICE_DATA_KEYS; nothing is kept')
    .option('--name <name>', 'the name for it in sealed secrets', 'k1')
    .option('--json', 'print one JSON document')
    .action(run(async () => mintDataKey))
  examples(mint, 'svc secrets mint-key --name k2')
  const status = operating(secrets, 'secrets.status').action(run(async () => showSecrets))
  examples(status, 'svc secrets status')
  const rotate = operating(secrets, 'secrets.rotate').action(run(async () => rotateSecrets))
  examples(rotate, 'svc secrets rotate')
}

/** Makes a key and prints it: its answer is a secret by purpose. */
export const mintDataKey: Handler<{ readonly name: string }> = async (run) => {
  const document = { data_key: newDataKey(run.options.name) }
  run.print(document, (page) => facts(Object.entries(document), page))
  run.hint('Put it first in SERVICE_DATA_KEYS, before older keys: "new,old". Then run svc secrets rotate.')
}

const countsTable = (counts: readonly SecretCounts[], page: Page): string =>
  table(
    [
      { title: 'COLUMN', text: ({ column }) => column },
      { title: 'FIRST KEY', text: ({ current }) => `${current}` },
      { title: 'OLDER KEY', text: ({ older }) => `${older}` },
      { title: 'NOT SEALED', text: ({ plain: unsealed }) => `${unsealed}` },
      { title: 'NO KEY', text: ({ unreadable }) => `${unreadable}` },
    ],
    counts,
    page,
  )

/** Shows how many secrets lie under which key. */
export const showSecrets: Handler<object> = async (run) => {
  const answer = await run.operate<{ secrets: readonly SecretCounts[] }>('secrets.status', {})
  run.print(answer, (page) => countsTable(answer.secrets, page))
  const waiting = answer.secrets.reduce((sum, { older, plain: unsealed }) => sum + older + unsealed, 0)
  if (waiting > 0) run.hint('svc secrets rotate seals them all under the first key.')
}

/** Seals all secrets under the first key, batch by batch. Fails when some have no key. */
export const rotateSecrets: Handler<object> = async (run) => {
  await using connection = await run.connect()
  let [rotated, unreadable] = [0, 0]
  let next: string | undefined
  do {
    const batch = (await connection.run('secrets.rotate', given({ from: next }))) as unknown as RotatedBatch
    rotated += batch.rotated
    unreadable += batch.unreadable
    if (next !== undefined && batch.next === next) throw standstill()
    next = batch.next
    tell(run, rotated)
  } while (next !== undefined)
  run.print({ rotated, unreadable }, () => `${plain(`${rotated} sealed anew`)}\n`)
  if (unreadable === 0) return EXIT.done
  run.hint(`${unreadable} have no key: put their key back into SERVICE_DATA_KEYS, and rotate again.`)
  return EXIT.failed
}

const standstill = () =>
  new Problem('unavailable', {
    detail: 'the control plane does not get past one batch: is it of this release?',
  })

function tell(run: CommandRun, rotated: number): void {
  if (run.io.err.isTty && rotated > 0) run.note(`${rotated} sealed anew so far`)
}
