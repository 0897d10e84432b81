import {
  type Clock,
  type Config,
  nodeDnsClient,
  Signer,
  type Storage,
  settings,
  systemTimers,
} from '@svc/core'
import {
  dnsCheck,
  type NamedCheck,
  SystemCheck,
  sessionSecretCheck,
  settingsChecks,
  signingKeyCheck,
  storageChecks,
} from '@svc/core/adapters'
import type { CommandRun } from '../../program/command-run.ts'
import type { Examination } from './doctor.ts'
import { folderChecks } from './folder-checks.ts'
import { localSettings } from './local-settings.ts'
import { portCheck } from './port-check.ts'
import { gitCheck, nodeCheck } from './program-checks.ts'

/** Looks at this machine as `svc serve` would find it, without starting anything. */
export async function examineMachine({ io, clock, options }: CommandRun): Promise<Examination> {
  const { config, faults } = localSettings(io, options.dataDir)
  await using database = await databaseOf(config, clock)
  const checks = [
    ...settingsLines(config, faults),
    ...(database.checks ?? folderChecks(config)),
    signingKeyCheck(new Signer(config.signing)),
    sessionSecretCheck(config),
    dnsCheck(nodeDnsClient(), config.monitors.dnsServers),
    portCheck(config.http),
    nodeCheck(io),
    gitCheck(io),
  ]
  const report = await new SystemCheck({ clock, timers: systemTimers, checks }).run()
  const closed = Object.values(config.faults).flatMap((each) => each ?? [])
  const files = Object.keys(config.files).map((name) => `${name} is set (file)`)
  return { report, notes: [...new Set([...faults, ...closed, ...config.warnings, ...files])] }
}

function settingsLines(config: Config, faults: readonly string[]): readonly NamedCheck[] {
  const [whole, ...groups] = settingsChecks(config, settings)
  if (whole === undefined || faults.length === 0) return settingsChecks(config, settings)
  return [{ ...whole, run: () => ({ status: 'fail', detail: 'bad-setting' }) }, ...groups]
}

/** The server of `DATABASE_URL`, as far as it can be looked at; undefined when the database is embedded. */
interface LookedAt extends AsyncDisposable {
  readonly checks: readonly NamedCheck[] | undefined
}

// Opened by the first look: a missing server is a finding of the look, not the end of the command.
async function databaseOf(config: Config, clock: Clock): Promise<LookedAt> {
  const { url } = config.database
  if (url === undefined) return { checks: undefined, [Symbol.asyncDispose]: async () => {} }
  let opening: Promise<Storage> | undefined
  // Loading takes a good part of the time that a check has.
  const { databaseServer, openStorage } = await import('@svc/core/sql')
  const opened = async () => {
    opening ??= openStorage({ ...(databaseServer(config) ?? { url }), poolSize: 1 })
    return opening
  }
  const health = async () => (await opened()).health()
  const pooling = async () => (await (await opened()).pooling?.()) ?? { isKept: true, lacking: [] }
  const checks = storageChecks({ storage: { kind: 'postgresql', health, pooling }, clock })
  return {
    checks: checks.filter(({ name }) => name !== 'disk'),
    [Symbol.asyncDispose]: async () => {
      const opened = await opening?.catch(() => undefined)
      await opened?.[Symbol.asyncDispose]()
    },
  }
}
