import { Problem } from '@svc/core'
import type { AppContainer, AppProcess, AppService, AppStop } from '@svc/core/adapters'
import { SYSTEM } from './places.ts'
import {
  type Confinement,
  DATABASES_TARGET,
  envText,
  inputOf,
  noteEnd,
  quoted,
  type TaskChoices,
  taskName,
  type UnitChoices,
  type UnitPlace,
  unitFolder,
  unitName,
} from './unit-text.ts'
import { keeperUnit, podmanProperties } from './user-unit.ts'

/** podman as applications use it: in the control group of the unit that starts it. */
export const PODMAN = 'podman --cgroup-manager=cgroupfs --log-level=error'

/** The name of the container of an instance, among those of its user. */
export const containerName = ({ process, number, release }: UnitPlace): string =>
  `${process}.${number}.${release}`

/** The file that names the process which watches over a container. */
const pidFile = (user: string, name: string): string => `${SYSTEM.running}/${user}/${name}.pid`

/** podman makes a container anew at each start of its unit, and it is gone at each end. */
function boxed(unit: string, name: string, { user, stop, memory, cpus }: Confinement): string {
  const folder = unitFolder(unit)
  const limits = [
    ...(memory === undefined ? [] : [`MemoryMax=${memory}`, 'MemorySwapMax=0']),
    ...(cpus === undefined ? [] : [`CPUQuota=${Math.round(cpus * 100)}%`]),
  ]
  return `${[...podmanProperties({ name: user }), ...limits].join('\n')}
ExecStart=/bin/sh ${folder}/run
ExecStop=/bin/sh -c '${PODMAN} stop --ignore --time ${stop.grace_s} ${name} >/dev/null'
ExecStopPost=-/bin/sh -c '${PODMAN} rm --force --ignore ${name} >/dev/null'
StandardOutput=append:${folder}/output
StandardError=inherit
KillMode=mixed
TimeoutStopSec=${stop.grace_s + 15}
`
}

const unitHead = (words: string, user: string): string => `[Unit]
Description=${words} by svc
After=network.target ${DATABASES_TARGET} ${keeperUnit(user)}
Wants=${keeperUnit(user)}
StartLimitIntervalSec=0
`

/**
 * Returns the unit of an instance in a container. Its processes are in the unit's control group, and so
 * within the unit's limits.
 */
export function containerUnitText(choices: UnitChoices): string {
  const { app, process, number, release, user } = choices
  const name = containerName(choices)
  return `${unitHead(`${app} ${process} ${number}, release ${release}, kept`, user)}
[Service]
Type=forking
PIDFile=${pidFile(user, name)}
Restart=always
RestartSec=2
SuccessExitStatus=143 130 137
TimeoutStartSec=60
${boxed(unitName(choices), name, choices)}
[Install]
WantedBy=multi-user.target
`
}

/** Returns the unit of a task in a container. */
export function containerTaskText(choices: TaskChoices): string {
  const unit = taskName(choices)
  return `${unitHead(`${choices.app} ${choices.name}, run`, choices.user)}
[Service]
Type=exec
RuntimeMaxSec=${choices.timeoutS}
${noteEnd(unit)}
${boxed(unit, choices.name, choices)}`
}

/** Longest line of podman's file of variables that it reads whole. */
const MAX_LINE_BYTES = 60_000
/** Variables that podman itself, or a program that it starts, heeds. */
const OF_PODMAN =
  /^(?:PATH|HOME|TMPDIR|USER|NOTIFY_SOCKET|XDG_.*|DBUS_.*|GO[A-Z]+|LD_.*|_?(?:CONTAINERS?|PODMAN|STORAGE|BUILDAH|REGISTRY)_.*)$/
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** A container's variables, by the two ways in which podman takes them. */
interface Variables {
  /** The file of podman: lines as they are. */
  readonly file: string
  /** Variables for podman's own environment, from where it copies them by their names. */
  readonly copied: Readonly<Record<string, string>>
}

/**
 * Parts variables: values with line ends and long ones stand in podman's own environment, all others in its
 * file, and none in an argument.
 * @throws Problem `conflict` for a variable that would change podman itself
 */
function parted(env: Readonly<Record<string, string>>): Variables {
  const named = Object.entries(env).filter(([name, value]) => NAME.test(name) && !value.includes('\0'))
  const isPlain = ([name, value]: [string, string]) =>
    !/[\r\n]/.test(value) && name.length + Buffer.byteLength(value) < MAX_LINE_BYTES
  const copied = named.filter((entry) => !isPlain(entry))
  const refused = copied.find(([name]) => OF_PODMAN.test(name))
  if (refused !== undefined)
    throw new Problem('conflict', {
      detail: `the variable ${refused[0]} of a container holds one line of less than ${MAX_LINE_BYTES} bytes`,
    })
  const lines = named.filter(isPlain).map(([name, value]) => `${name}=${value}\n`)
  return { file: lines.join(''), copied: Object.fromEntries(copied) }
}

/** Inputs of the files of a container. */
export interface ContainerRun {
  readonly folder: string
  readonly user: string
  /** The name of the container. */
  readonly name: string
  /** Whether its unit goes on when it runs, and does not wait for its end. */
  readonly isKept: boolean
  /** Whether it reads its standard input. */
  readonly hasInput?: boolean | undefined
  readonly container: AppContainer
  readonly command: string | undefined
  readonly capabilities: AppProcess['capabilities']
  readonly env: Readonly<Record<string, string>>
  readonly stop: AppStop
  /** Its volumes: the folder of the host, a colon, the place in the container, and options. */
  readonly mounts: readonly string[]
  /** Ports of 127.0.0.1, each with the port of the container that it leads to. */
  readonly published: readonly (readonly [number, number])[]
  /** The addresses of services by their names. */
  readonly hosts: Readonly<Record<string, string>>
}

/** The options of a service of a compose file. */
function serviceOptions(service: AppService | undefined): readonly string[] {
  if (service === undefined) return []
  const { user, workdir, tmpfs = [], read_only: isReadOnly, init, shm, scratch = [] } = service
  return [
    ...(user === undefined ? [] : [`--user=${user}`]),
    ...(workdir === undefined ? [] : [`--workdir=${workdir}`]),
    ...tmpfs.map((place) => `--tmpfs=${place}`),
    ...scratch.map((place) => `--volume=${place}`),
    ...(isReadOnly ? ['--read-only'] : []),
    ...(init ? ['--init'] : []),
    ...(shm === undefined ? [] : [`--shm-size=${shm.toLowerCase()}`]),
  ]
}

/** The entrypoint, and the words after the image. A command is a line of the image's shell. */
function commandWords({ container, command }: Pick<ContainerRun, 'container' | 'command'>): {
  readonly before: readonly string[]
  readonly after: readonly string[]
} {
  if (command !== undefined) return { before: ['--entrypoint=/bin/sh'], after: ['-c', quoted(command)] }
  const { entrypoint, command: words = [] } = container.service ?? {}
  if (entrypoint === undefined) return { before: [], after: words.map(quoted) }
  // As JSON, podman takes several words of an entrypoint.
  return { before: [`--entrypoint=${quoted(JSON.stringify(entrypoint))}`], after: words.map(quoted) }
}

/** The files of a container: `run` is a script, and the others are read by it. */
export function containerFiles(run: ContainerRun): Readonly<Record<'run' | 'env' | 'variables', string>> {
  const { folder, user, name, isKept, container, capabilities = [], stop, mounts, published, hosts } = run
  const { hasInput = false } = run
  const { before, after } = commandWords(run)
  const { file, copied } = parted(run.env)
  const words = [
    PODMAN,
    `run --rm --replace --name=${name} --pull=never --cgroups=split --log-driver=passthrough`,
    '--cap-drop=all --security-opt=no-new-privileges --network=slirp4netns --http-proxy=false',
    '--sysctl=net.ipv4.ip_unprivileged_port_start=0',
    ...(isKept ? [`--detach --sdnotify=ignore --conmon-pidfile=${pidFile(user, name)}`] : []),
    ...(hasInput ? ['--interactive'] : []),
    ...capabilities.map((capability) => `--cap-add=${capability}`),
    // The image may say how it wants to be asked: a definition that says nothing leaves it that.
    ...(stop.signal === 'SIGTERM' ? [] : [`--stop-signal=${stop.signal}`]),
    ...published.map(([port, inner]) => `--publish=127.0.0.1:${port}:${inner}`),
    ...Object.entries(hosts).map(([host, address]) => `--add-host=${host}:${address}`),
    ...mounts.map((mount) => `--volume=${mount}`),
    ...serviceOptions(container.service),
    `--env-file=${folder}/variables`,
    ...Object.keys(copied).map((variable) => `--env=${variable}`),
    ...before,
    container.image,
    ...after,
  ]
  return {
    run: `set -a\n. ${folder}/env\nset +a\nexec ${words.join(' ')}${inputOf(folder, hasInput)}\n`,
    env: envText(copied),
    variables: file,
  }
}
