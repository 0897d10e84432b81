import type { AppStop, AppVolumes } from '@svc/core/adapters'
import { SYSTEM } from './places.ts'

/** The place of an instance among the units of systemd. */
export interface UnitPlace {
  readonly app: string
  readonly process: string
  readonly number: number
  /** The number of the release. */
  readonly release: number
}

/**
 * Names of applications and processes are made of `a-z`, `0-9`, dot, underscore and dash, so a colon parts
 * them, and two places never have one name.
 */
export const unitName = ({ app, process, number, release }: UnitPlace): string =>
  `svc-app@${app}:${process}:${number}:${release}.service`

/** Whether a file is the unit of an instance. */
export const isUnitName = (name: string): boolean =>
  /^svc-app@[a-z0-9._-]+:[a-z0-9-]+:\d+:\d+\.service$/.test(name)

/** The application of a unit. */
export const appOfUnit = (unit: string): string => /^svc-(?:app|task)@([^:]+):/.exec(unit)?.[1] ?? ''

/**
 * The unit of a task. Names of tasks are made of `a-z`, `0-9` and dash.
 */
export const taskName = ({ app, name }: Pick<TaskChoices, 'app' | 'name'>): string =>
  `svc-task@${app}:${name}.service`

/** Whether a file is the unit of a task. */
export const isTaskName = (name: string): boolean => /^svc-task@[a-z0-9._-]+:[a-z0-9-]+\.service$/.test(name)

/** The folder of the folders of instances and tasks. */
export const UNIT_FOLDERS = `${SYSTEM.state}/units`

/** The folder of an instance: its script, its variables and its output. */
export const unitFolder = (unit: string): string => `${UNIT_FOLDERS}/${unit.replace(/\.service$/, '')}`

/** Inputs of the walls around a program. */
export interface Confinement {
  readonly app: string
  /** The user that it runs as, and its group. */
  readonly user: string
  /** The folder that it begins in. */
  readonly folder: string
  readonly stop: AppStop
  /** Lines of the unit about its places and limits, besides those that all have. */
  readonly lines: readonly string[]
  /** Limit of memory as systemd writes it, such as `512M`. */
  readonly memory?: string | undefined
  /** Share of processors: 1 is one of them. */
  readonly cpus?: number | undefined
}

/** Inputs of the text of a unit. */
export interface UnitChoices extends UnitPlace, Confinement {}

/** Inputs of the text of the unit of a task. */
export interface TaskChoices extends Confinement {
  readonly name: string
  /** Seconds after which it is ended. */
  readonly timeoutS: number
}

/** The file in the folder of a task that systemd writes at its end. */
export const END_FILE = 'end'
/** The pipe in the folder of a task that it reads as its standard input. */
export const INPUT_FILE = 'input'

/** The folder of the applications as units see it: its own place is closed to other users. */
export const APPS_SEEN = `${SYSTEM.state}/apps`

/** The folder of the volumes of all applications, which is closed to other users. */
export const VOLUMES = `${SYSTEM.state}/volumes`

/** The folder that an application may write to. */
export const stateFolder = (user: string): string => `${SYSTEM.state}/state/${user}`

/** The folder of a volume of an application. */
export const volumeFolder = (user: string, name: string): string => `${VOLUMES}/${user}/${name}`

/** The files of a commit, without anything that was built, as a unit sees them. */
export const seenFolder = (app: string, sha: string): string => `${APPS_SEEN}/${app}/releases/${sha}`

/** The folder of the releases of all applications: built, and root's. */
export const RELEASES = `${SYSTEM.state}/releases`

/** The folder of a release. */
export const builtFolder = (app: string, sha: string): string => `${RELEASES}/${app}/${sha}`

/** The lines of a unit about the places that its application may write to. */
export const placesOf = (user: string, volumes: AppVolumes): readonly string[] => [
  `ReadWritePaths=${stateFolder(user)}`,
  ...Object.entries(volumes).map(([name, path]) => `BindPaths=${volumeFolder(user, name)}:${path}`),
]

/** Lines of a unit that builds: it leaves the host to the applications that serve, and ends first. */
export const BUILD_LIMITS = [
  'MemoryMax=75%',
  'CPUWeight=20',
  'IOWeight=20',
  'OOMScoreAdjust=500',
  // Machines without the controller of processes have no other bound.
  'LimitNPROC=1024',
] as const

/** The release that a build makes, and the live one, which it may read. */
export interface BuildPlace {
  readonly app: string
  readonly sha: string
  readonly live?: string | undefined
}

/** The lines of a unit that builds about its places: it sees no release but these two. */
export const buildPlaces = ({ app, sha, live }: BuildPlace, work: string): readonly string[] => [
  `TemporaryFileSystem=${RELEASES}:mode=0755`,
  `BindPaths=${work}:${builtFolder(app, sha)}`,
  ...(live === undefined || live === sha ? [] : [`BindReadOnlyPaths=-${builtFolder(app, live)}`]),
]

/** The target that applications start behind. */
export const DATABASES_TARGET = 'svc-databases.target'

/** The walls around applications and servers of databases alike. */
export const WALLS = `ProtectSystem=strict
ProtectHome=yes
ProtectProc=invisible
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
PrivateTmp=yes
PrivateDevices=yes
NoNewPrivileges=yes
CapabilityBoundingSet=
RestrictSUIDSGID=yes
RestrictRealtime=yes
LockPersonality=yes`

/**
 * The walls around everything that an application runs, and its limits. The limit of the user is the only
 * bound where the kernel has no controller of processes.
 */
const confined = (
  unit: string,
  { user, folder, stop, lines, memory, cpus }: Confinement,
): string => `User=${user}
Group=${user}
Slice=svc-${user.replace('-', '_')}.slice
UMask=0077
WorkingDirectory=${folder}
ExecStart=/bin/sh ${unitFolder(unit)}/run
StandardOutput=append:${unitFolder(unit)}/output
StandardError=inherit
KillMode=control-group
KillSignal=${stop.signal}
TimeoutStopSec=${stop.grace_s}
LimitNPROC=2048
${lines.join('\n')}
${WALLS}
RemoveIPC=yes
LimitNOFILE=65536
TasksMax=1024
${memory === undefined ? '' : `MemoryMax=${memory}\nMemorySwapMax=0\n`}${cpus === undefined ? '' : `CPUQuota=${Math.round(cpus * 100)}%\n`}`

/**
 * Returns the unit of an instance. Nothing that a repository says stands in it but the paths of its volumes,
 * which are plain words: the command and the variables are in files that the user of the application reads.
 */
export function unitText(choices: UnitChoices): string {
  const { app, process, number, release } = choices
  return `[Unit]
Description=${app} ${process} ${number}, release ${release}, kept by svc
After=network.target ${DATABASES_TARGET}
StartLimitIntervalSec=0

[Service]
Type=exec
Restart=always
RestartSec=2
SuccessExitStatus=143 130
${confined(unitName(choices), choices)}
[Install]
WantedBy=multi-user.target
`
}

/** Returns the unit of a task. */
export function taskText(choices: TaskChoices): string {
  const { app, name, timeoutS } = choices
  const unit = taskName(choices)
  return `[Unit]
Description=${app} ${name}, run by svc

[Service]
Type=exec
RuntimeMaxSec=${timeoutS}
${noteEnd(unit)}
${confined(unit, choices)}`
}

/** The line of a unit by which systemd, as root and outside of the walls, notes how its task ended. */
export function noteEnd(unit: string): string {
  const end = `${unitFolder(unit)}/${END_FILE}`
  return `ExecStopPost=+/bin/sh -c 'echo "$$SERVICE_RESULT $$EXIT_CODE $$EXIT_STATUS" > ${end}.new && mv ${end}.new ${end}'`
}

/** Returns a text as one word of a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * Returns the script of an instance: its variables, then its command, which is one line of a shell. systemd
 * sends its signal to all processes, and once more to the others when the first has ended, which programs
 * take for an order to hurry. So the shell, which is the first, ends after its command.
 */
export const runText = (
  folder: string,
  command: string,
  hasInput = false,
  signal: AppStop['signal'] = 'SIGTERM',
): string =>
  `set -a\n. ${folder}/env\nset +a\nexec /bin/sh -c ${quoted(`trap 'exit 143' ${signal.slice('SIG'.length)}\n${command}`)}${inputOf(folder, hasInput)}\n`

/**
 * The words of a script that open the input of its task. The unit must not: systemd would open it for the
 * note of the end as well, and wait there for somebody who writes.
 */
export const inputOf = (folder: string, hasInput: boolean): string =>
  hasInput ? ` <${folder}/${INPUT_FILE}` : ''

/** Returns variables as assignments of a shell. Names that no shell takes are left out. */
export const envText = (env: Readonly<Record<string, string>>): string =>
  Object.entries(env)
    .filter(([name, value]) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !value.includes('\0'))
    .map(([name, value]) => `${name}=${quoted(value)}\n`)
    .join('')
