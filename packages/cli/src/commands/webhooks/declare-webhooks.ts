import type { Command } from 'commander'
import { examples, keyed, operating, type Run, reaching } from '../declare.ts'

const LICENSE = ['--license <id-or-key>', 'of this license'] as const
const each = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]
const ID = 'whe_01…'

/** `svc webhooks …` */
export function declareWebhooks(program: Command, run: Run): void {
  const webhooks = program.command('webhooks')
  const endpoints = webhooks.command('endpoints').description('the addresses that events are sent to')
  declareEndpoints(endpoints, run)
  declareMessages(webhooks, run)
  declareVerify(webhooks, run)
}

function declareEndpoints(endpoints: Command, run: Run): void {
  const load = async () => import('./webhook-endpoints.ts')
  const list = keyed(operating(endpoints, 'webhooks.list'))
    .option(...LICENSE)
    .action(run(async () => (await load()).listEndpoints))
  examples(list, 'svc webhooks endpoints list')
  const show = keyed(operating(endpoints, 'webhooks.show', '<endpoint>')).action(
    run(async () => (await load()).showEndpoint),
  )
  examples(show, `svc webhooks endpoints show ${ID}`)
  const add = keyed(operating(endpoints, 'webhooks.add', '<url>'))
    .option(...LICENSE)
    .option('--event <event>', 'a type, a group such as job.*, or *; may be repeated', each)
    .option('--description <text>', 'its purpose')
    .option('--disabled', 'send nothing yet')
    .action(run(async () => (await load()).addEndpoint))
  examples(add, "svc webhooks endpoints add https://ci.example.com/hook --license lic_01… --event 'job.*'")
  const update = keyed(operating(endpoints, 'webhooks.update', '<endpoint>'))
    .option('--to <url>', 'another address; earlier failures are forgotten')
    .option('--event <event>', 'instead of the present ones; may be repeated', each)
    .option('--description <text>', 'its purpose')
    .action(run(async () => (await load()).updateEndpoint))
  examples(update, `svc webhooks endpoints update ${ID} --event 'alert.*'`)
  const remove = keyed(operating(endpoints, 'webhooks.remove', '<endpoint>')).action(
    run(async () => (await load()).removeEndpoint),
  )
  examples(remove, `svc webhooks endpoints remove ${ID}`)
  for (const [verb, summary] of [
    ['enable', 'send to an endpoint again; earlier failures are forgotten'],
    ['disable', 'send nothing to an endpoint; its events are kept as skipped'],
  ] as const) {
    const command = keyed(reaching(endpoints.command(`${verb} <endpoint>`).description(summary))).action(
      run(async () => (await load()).switchEndpoint(verb === 'enable')),
    )
    examples(command, `svc webhooks endpoints ${verb} ${ID}`)
  }
}

function declareMessages(webhooks: Command, run: Run): void {
  const load = async () => import('./webhook-messages.ts')
  const rotate = keyed(operating(webhooks, 'webhooks.rotate', '<endpoint>'))
    .option(
      '--grace <duration>',
      'how long the former secret signs too: 900, 24h or 7d; a day when not given',
    )
    .action(run(async () => (await load()).rotateSecret))
  examples(rotate, `svc webhooks rotate ${ID} --grace 24h`)
  const test = keyed(operating(webhooks, 'webhooks.test', '<endpoint>')).action(
    run(async () => (await load()).testEndpoint),
  )
  examples(test, `svc webhooks test ${ID}`)
  const deliveries = keyed(
    reaching(
      webhooks.command('deliveries <endpoint>').description('deliveries to an endpoint, newest first'),
    ),
  )
    .option('--state <state>', 'pending, sending, delivered, failed, expired, skipped or cancelled')
    .option('--limit <count>', 'deliveries at most, 50 when not given')
    .option('--delivery <delivery>', 'one delivery with its attempts and its payload')
    .action(run(async () => (await load()).listDeliveries))
  examples(deliveries, `svc webhooks deliveries ${ID} --state failed`)
  const replay = keyed(operating(webhooks, 'webhooks.replay', '<endpoint>'))
    .option('--delivery <delivery>', 'one delivery')
    .option('--since <iso>', 'messages from then on that did not arrive, ISO-8601')
    .option('--until <iso>', 'messages until then, ISO-8601')
    .option('--dry-run', 'only say how many')
    .action(run(async () => (await load()).replayMessages))
  examples(replay, `svc webhooks replay ${ID} --since 2026-11-01 --dry-run`)
  const reset = keyed(operating(webhooks, 'webhooks.reset-breaker', '<endpoint>')).action(
    run(async () => (await load()).resetBreaker),
  )
  examples(reset, `svc webhooks reset-breaker ${ID}`)
  const now = keyed(operating(webhooks, 'webhooks.run'))
    .option(...LICENSE)
    .option('--endpoint <endpoint>', 'only to this endpoint')
    .option('--all', 'until nothing is due')
    .option('--limit <count>', 'messages at most, 50 when not given')
    .action(run(async () => (await load()).runWebhooks))
  examples(now, 'svc webhooks run --all')
  const stats = keyed(
    reaching(webhooks.command('stats').description('how many messages wait, endpoint by endpoint')),
  )
    .option(...LICENSE)
    .action(run(async () => (await load()).webhookStats))
  examples(stats, 'svc webhooks stats')
}

function declareVerify(webhooks: Command, run: Run): void {
  const verify = webhooks
    .command('verify')
    .description('check the signature of a message, whose body is read from standard input')
    .requiredOption('--secret-file <file>', 'file whose first line is the secret')
    .requiredOption('--id <id>', 'header webhook-id')
    .requiredOption('--timestamp <seconds>', 'header webhook-timestamp')
    .requiredOption('--signature <signature>', 'header webhook-signature')
    .option('--json', 'print one JSON document')
    .action(run(async () => (await import('./webhook-verify.ts')).verifyMessage))
  examples(
    verify,
    "svc webhooks verify --secret-file secret --id msg_… --timestamp 1763650000 --signature 'v1,…' < body",
  )
}
