import type { HostedMachine } from './hosted-machine.ts'

/** Everything of applications that is on a host. */
export interface HostTraces {
  /** Units of instances and of tasks, whether systemd or the disk alone knows them. */
  readonly units: readonly string[]
  /** Folders of units. */
  readonly folders: readonly string[]
  /** Units that processes of applications and of their builds belong to. */
  readonly processes: readonly string[]
  /** Ports that the rules of the kernel guard. */
  readonly ports: readonly string[]
  /** Builds under way. */
  readonly works: readonly string[]
  /** Commits that are being fetched. */
  readonly incoming: readonly string[]
  /** Jobs of the agent. */
  readonly jobs: readonly string[]
  /** Links of units that start with the machine. */
  readonly started: readonly string[]
}

const PORTS = `nft list set inet svc_apps guarded | tr -d '\\n' | sed -n 's/.*elements = {\\([^}]*\\)}.*/\\1/p'`

const SCRIPTS: Readonly<Record<keyof HostTraces, string>> = {
  units: `{ systemctl list-units --all --plain --no-legend 'svc-app@*' 'svc-task@*' | cut -d ' ' -f 1
    ls /etc/systemd/system /run/systemd/system | grep -E '^svc-(app|task)@'; } | sort -u`,
  folders: 'ls /var/lib/svc-appsd/units',
  processes: `for pid in $(ps -eo pid=,user:32= | awk '$2 ~ /^s[ab]-/ { print $1 }'); do
    sed -n 's|.*/||p' /proc/$pid/cgroup 2>/dev/null; done | sort -u`,
  ports: `${PORTS} | tr -cs 0-9 '\\n' | sort -u`,
  works: 'ls -d /var/lib/svc-appsd/builds/*/work*',
  incoming: 'ls -d /var/lib/svc-agent/apps/*/releases/.incoming-*',
  jobs: 'ls /var/lib/svc-agent/work',
  started: 'ls /etc/systemd/system/multi-user.target.wants | grep svc-app@',
}

/** Returns everything of applications that is on a host. */
export function tracesOf({ machine }: HostedMachine): HostTraces {
  const linesOf = (script: string) =>
    machine
      .sh(`{ ${script}; } 2>/dev/null || true`)
      .split('\n')
      .filter((line) => line !== '')
  const traces = Object.entries(SCRIPTS).map(([name, script]) => [name, linesOf(script)])
  return Object.fromEntries(traces) as unknown as HostTraces
}

/** Returns what there should be: the instances of the live releases, by their record, and nothing else. */
export function wantedTraces(host: HostedMachine): HostTraces {
  const apps = Object.entries<AppRecord>(host.record().apps)
  const units = apps.flatMap(([app, { live, scale, stopped }]) =>
    stopped
      ? []
      : Object.entries(live.processes ?? {}).flatMap(([process, { count }]) =>
          Array.from(
            { length: scale?.[process] ?? count },
            (_, index) => `svc-app@${app}:${process}:${index + 1}:${live.number}.service`,
          ),
        ),
  )
  const names = units.toSorted()
  const folders = names.map((unit) => unit.replace('.service', ''))
  const own = folders.map((folder) => host.machine.sh(`cat '/var/lib/svc-appsd/units/${folder}/port'`))
  const ports = [...apps.map(([, { port }]) => String(port)), ...own.filter((port) => port !== '')].toSorted()
  return { units: names, folders, processes: names, ports, works: [], incoming: [], jobs: [], started: names }
}

interface AppRecord {
  readonly port: number
  readonly stopped: boolean
  readonly scale?: Readonly<Record<string, number>>
  readonly live: {
    readonly number: number
    readonly processes?: Readonly<Record<string, { readonly count: number }>>
  }
}
