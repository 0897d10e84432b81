import type { SecurityOutcomeView, SecuritySettings, SecurityView } from '@svc/core/adapters'
import { Problem } from '@svc/core/client'
import { type CommandRun, given, type Handler } from '../../program/command-run.ts'
import { printOutcome, type SendOptions, sendInput } from './security-change.ts'

/** Flags of `svc security allow`. */
export interface AllowOptions extends SendOptions {
  readonly from?: string
  readonly comment?: string
}

type Firewall = SecuritySettings['firewall']
type Rule = Firewall['allow'][number]

/** Opens a port. */
export const allowPort: Handler<AllowOptions> = (run) =>
  change(run, (firewall) => {
    const port = portIn(run.arg(1))
    if (port === undefined) throw notAPort(run.arg(1))
    const { from, comment } = run.options
    const rule = given({
      ports: [port.port],
      proto: port.proto,
      from: from && [from],
      comment,
    }) as unknown as Rule
    const isThere = firewall.allow.some((each) => JSON.stringify(each) === JSON.stringify(rule))
    return isThere ? firewall : { ...firewall, allow: [...firewall.allow, rule] }
  })

/** Closes a port, or drops packets from a range. */
export const deny: Handler<SendOptions> = (run) =>
  change(run, (firewall) => {
    const what = run.arg(1)
    const port = portIn(what)
    return port === undefined ? dropping(firewall, what) : closing(firewall, port, what)
  })

/** Changes the firewall of the newest revision, and fails if somebody else has made another meanwhile. */
async function change(
  run: CommandRun<SendOptions>,
  next: (firewall: Firewall) => Firewall,
): Promise<undefined> {
  await using connection = await run.connect()
  const named = given({ host: run.arg(0), license: run.options.license })
  const { desired } = (await connection.run('security.show', named)) as unknown as SecurityView
  const firewall = next(desired.settings.firewall)
  const settings = { ...desired.settings, firewall }
  const input = { ...sendInput(run), settings, if_revision: desired.revision }
  printOutcome(run, (await connection.run('security.set', input)) as unknown as SecurityOutcomeView)
  if (!firewall.enabled) run.hint('The firewall of this host is off: the rule counts when it is on.')
}

interface Port {
  readonly port: string
  readonly proto: Rule['proto']
}

function portIn(text: string): Port | undefined {
  const [, port, proto] = /^(\d+(?:-\d+)?)\/(tcp|udp)$/.exec(text) ?? []
  return port === undefined ? undefined : { port, proto: proto as Port['proto'] }
}

const notAPort = (text: string): Problem =>
  new Problem('invalid-input', { detail: `'${text}' is no port: say 443/tcp, or 8000-8100/udp` })

const dropping = (firewall: Firewall, range: string): Firewall =>
  firewall.deny_from.includes(range) ? firewall : { ...firewall, deny_from: [...firewall.deny_from, range] }

function closing(firewall: Firewall, { port, proto }: Port, text: string): Firewall {
  const isMeant = (rule: Rule) => rule.proto === proto && rule.ports.includes(port)
  if (!firewall.allow.some(isMeant))
    throw new Problem('not-found', { detail: `no rule opens exactly ${text}: svc security show lists them` })
  const allow = firewall.allow
    .map((rule) => (isMeant(rule) ? { ...rule, ports: rule.ports.filter((each) => each !== port) } : rule))
    .filter(({ ports }) => ports.length > 0)
  return { ...firewall, allow }
}
