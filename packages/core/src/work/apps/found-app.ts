import { Problem } from '../../kernel/problem.ts'
import { type AppPlan, type ComposePlan, EMPTY, type ReleaseFacts } from './app-plan.ts'
import {
  type AppDefinition,
  type AppProcess,
  type AppVolumes,
  BUILD_TIMEOUT_S,
  DEFINITION_FILE,
  isCommand,
  isProcessName,
  readDefinition,
  WEB,
} from './definition.ts'
import { pythonPlan, withPackages } from './python-plan.ts'

const COMPOSE = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml']
const DOCKERFILE = 'Dockerfile'
const LOCKS = ['package-lock.json', 'npm-shrinkwrap.json']
const OTHER_LOCKS = ['yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'bun.lockb']
const MANIFEST = 'package.json'

const refused = (detail: string): Problem => new Problem('invalid-input', { detail })

/**
 * Finds out how a release is built and run: by its `svc.json`, else by the first known file.
 * @throws Problem `invalid-input` in words for what no host carries out, and for files that cannot be read
 */
export function findApp(facts: ReleaseFacts, app: string): AppPlan {
  const file = facts.text(DEFINITION_FILE)
  return file === undefined ? foundPlan(facts) : withPackages(definedPlan(facts, readDefinition(file), app))
}

function foundPlan(facts: ReleaseFacts): AppPlan {
  const { names } = facts
  const compose = COMPOSE.find((name) => names.has(name))
  if (names.has('deploy.sh'))
    return { ...EMPTY, type: 'script', why: 'deploy.sh: it runs, and nothing is supervised' }
  if (compose !== undefined) return { ...EMPTY, type: 'compose', why: compose, compose: { file: compose } }
  if (names.has(DOCKERFILE)) return containerPlan({ file: DOCKERFILE }, `${DOCKERFILE}: a container`)
  if (names.has('Procfile')) return procfilePlan(facts)
  const manifest = manifestOf(facts)
  if (manifest?.start !== undefined) return nodePlan(facts, manifest)
  if (names.has('index.html')) return staticPlan(undefined, 'index.html: the files are served')
  if (facts.hasPublicIndex) return staticPlan('public', 'public/index.html: the files of public are served')
  return { ...EMPTY, why: 'no file says how to run it: the files are the deployment' }
}

/** The parts of the plan that the type of the build brings along. */
function typedPlan(facts: ReleaseFacts, given: AppDefinition): AppPlan {
  const type = given.build?.type
  const manifest = manifestOf(facts)
  if (type === 'script') {
    if (facts.names.has('deploy.sh')) return { ...EMPTY, type }
    throw refused(`${DEFINITION_FILE} says script, and there is no deploy.sh`)
  }
  if (type === 'files' && facts.names.has('deploy.sh'))
    throw refused(`${DEFINITION_FILE} says files, and there is a deploy.sh: say script, or take it out`)
  if (type === 'files') return EMPTY
  if (
    type === 'static' ||
    (type === undefined && given.static !== undefined && given.processes === undefined)
  )
    return staticPlan(facts.hasPublicIndex && !facts.names.has('index.html') ? 'public' : undefined, '')
  if (type === 'procfile') return procfilePlan(facts)
  if (type === 'python')
    return pythonPlan(
      facts,
      given.processes === undefined && facts.names.has('Procfile') ? procfilePlan(facts) : EMPTY,
      given,
    )
  const container = containerOf(facts, given)
  if (container !== undefined) return container
  if (type === 'node' || (given.processes !== undefined && manifest !== undefined)) {
    if (manifest === undefined) throw refused(`${DEFINITION_FILE} says node, and there is no ${MANIFEST}`)
    if (manifest.start === undefined && given.processes === undefined)
      throw refused(`${MANIFEST} has no script start, and ${DEFINITION_FILE} names no processes`)
    return nodePlan(facts, manifest)
  }
  return given.processes === undefined ? foundPlan(facts) : { ...EMPTY, type: 'processes' }
}

/** The plan of a file that speaks of containers; undefined when it does not. */
function containerOf(facts: ReleaseFacts, { build, processes }: AppDefinition): AppPlan | undefined {
  if (build?.type === 'compose') {
    const file = build.file ?? COMPOSE.find((name) => facts.names.has(name))
    if (file === undefined || facts.text(file) === undefined)
      throw refused(`there is no ${file ?? COMPOSE.join(', ')}`)
    return { ...EMPTY, type: 'compose', why: file, compose: { file } }
  }
  if (build?.type === 'image') {
    if (build.image === undefined) throw refused(`${DEFINITION_FILE} says image: add build.image`)
    return containerPlan({ name: build.image }, build.image)
  }
  const file = build?.file ?? DOCKERFILE
  const isMeant = Object.values(processes ?? {}).some((each) => each.port ?? each.capabilities)
  if (build?.type !== 'dockerfile' && (build?.type !== undefined || !isMeant || !facts.names.has(DOCKERFILE)))
    return undefined
  if (facts.text(file) === undefined) throw refused(`there is no ${file}`)
  return containerPlan({ file, target: build?.target, args: build?.args }, file)
}

/** Keys of a process that the compose file says in its words. */
const OF_THE_COMPOSE_FILE = ['command', 'capabilities', 'health', 'roll', 'memory', 'cpus'] as const

/** Keys of the file that mean nothing for the type that was found. */
function idleKeys(given: AppDefinition, { type, image, compose }: AppPlan): string[] {
  const isBoxed = type === 'containers'
  const isNamed = type === 'processes' || isBoxed
  const runs = isNamed || type === 'compose'
  const isBuilt = type === 'processes' || type === 'static'
  const ofContainers = type === 'compose' ? OF_THE_COMPOSE_FILE : (['port', 'capabilities'] as const)
  const boxed = Object.entries(given.processes ?? {}).flatMap(([name, entry]) =>
    ofContainers.flatMap((key) => (entry[key] === undefined ? [] : [`processes.${name}.${key}`])),
  )
  return [
    ...(given.processes !== undefined && !isNamed && type !== 'compose' ? ['processes'] : []),
    ...(given.release !== undefined && !runs ? ['release'] : []),
    ...(given.cron !== undefined && !runs ? ['cron'] : []),
    ...(given.volumes !== undefined && !isNamed ? ['volumes'] : []),
    ...(given.packages !== undefined && (isBoxed || type === 'compose') ? ['packages'] : []),
    ...(given.links !== undefined && !runs ? ['links'] : []),
    ...(given.static !== undefined && type !== 'static' ? ['static'] : []),
    ...(given.build?.command !== undefined && !isBuilt ? ['build.command'] : []),
    ...(given.build?.env !== undefined && !isBuilt ? ['build.env'] : []),
    ...(given.build?.file !== undefined && !compose && !(image && 'file' in image) ? ['build.file'] : []),
    ...(given.build?.image !== undefined && !(image && 'name' in image) ? ['build.image'] : []),
    ...(given.build?.service !== undefined && compose === undefined ? ['build.service'] : []),
    ...(['args', 'target'] as const).flatMap((key) =>
      given.build?.[key] === undefined || (image && 'file' in image) ? [] : [`build.${key}`],
    ),
    ...(isBoxed ? [] : boxed),
  ]
}

/** Services of a compose file that answer visitors besides `web`. */
function visitedServices(processes: AppDefinition['processes'] = {}): NonNullable<ComposePlan['visited']> {
  for (const [name, { http, count }] of Object.entries(processes)) {
    if (name === WEB) throw refused(`${DEFINITION_FILE}: build.service names the service that is ${WEB}`)
    if (http !== true || count !== 1)
      throw refused(
        `${DEFINITION_FILE}: processes.${name} says "http": true and a port alone, the compose file the rest`,
      )
  }
  return Object.fromEntries(Object.entries(processes).map(([name, { port }]) => [name, port]))
}

function definedPlan(facts: ReleaseFacts, given: AppDefinition, app: string): AppPlan {
  const base = typedPlan(facts, given)
  const idle = idleKeys(given, base)
  if (idle.length > 0)
    throw refused(`${DEFINITION_FILE}: ${idle.join(' and ')} mean nothing for the type ${base.type}`)
  const bare = Object.entries(given.processes ?? {}).find(([, { command }]) => command === undefined)
  if (bare !== undefined && base.type !== 'containers' && base.compose === undefined)
    throw refused(`${DEFINITION_FILE}: processes.${bare[0]} has no command`)
  const named =
    given.app !== undefined && given.app !== app
      ? [`${DEFINITION_FILE} names ${given.app}; it is deployed as ${app}`]
      : []
  const basis = base.why === '' ? '' : `, and ${base.why}`
  return {
    ...base,
    why: `${DEFINITION_FILE}: ${base.type}${basis}`,
    notes: [...base.notes, ...named],
    build: given.build?.command === undefined ? base.build : [given.build.command],
    buildEnv: given.build?.env ?? [],
    buildTimeoutS: given.build?.timeout_s ?? BUILD_TIMEOUT_S,
    release: given.release ?? base.release,
    processes: base.compose ? {} : rolling(given.processes ?? base.processes, given.volumes),
    stop: given.stop,
    volumes: volumesOf(given.volumes),
    cron: given.cron ?? [],
    packages: given.packages ?? [],
    links: given.links ?? [],
    compose: base.compose && {
      ...base.compose,
      service: given.build?.service,
      visited: visitedServices(given.processes),
    },
    static: base.static && {
      folder: given.static?.folder ?? base.static.folder,
      fallback: given.static?.fallback,
    },
  }
}

/** A container without a word about its processes is the one that answers visitors. */
const containerPlan = (image: AppPlan['image'], why: string): AppPlan => ({
  ...EMPTY,
  type: 'containers',
  why,
  image,
  processes: { [WEB]: { count: 1, roll: 'beside' } },
})

/** The plan of an image that is deployed as it is. */
export const imagePlan = (name: string): AppPlan => containerPlan({ name }, `the image ${name}`)

/** Two instances that write to one folder need an application that expects it: so it says `beside` itself. */
function rolling(processes: AppPlan['processes'], volumes: AppVolumes = {}): AppPlan['processes'] {
  if (Object.keys(volumes).length === 0) return processes
  const each = Object.entries(processes).map(
    ([name, { roll = 'replace', ...process }]) => [name, { ...process, roll }] as const,
  )
  return Object.fromEntries(each)
}

/** Folders of the system, which a process needs as they are. */
const OF_THE_SYSTEM =
  /^\/(?:bin|boot|dev|etc|home|lib|lib32|lib64|libx32|proc|root|run|sbin|sys|tmp|usr|var)(?:\/|$)/

function volumesOf(volumes: AppVolumes = {}): AppVolumes {
  for (const [name, path] of Object.entries(volumes))
    if (OF_THE_SYSTEM.test(path))
      throw refused(
        `${DEFINITION_FILE}: volumes.${name}: ${path} is of the system, take one such as /data/${name}`,
      )
  return volumes
}

const staticPlan = (folder: string | undefined, why: string): AppPlan => ({
  ...EMPTY,
  type: 'static',
  why,
  static: { folder, fallback: undefined },
})

const processOf = (command: string): AppProcess => ({ command, count: 1 })

function procfilePlan(facts: ReleaseFacts): AppPlan {
  const text = facts.text('Procfile')
  if (text === undefined) throw refused('there is no Procfile')
  const processes: Record<string, AppProcess> = {}
  let release: string | undefined
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const colon = line.indexOf(':')
    const [name, command] = [line.slice(0, Math.max(colon, 0)).trim(), line.slice(colon + 1).trim()]
    if (!isProcessName(name) || !isCommand(command))
      throw refused('a line of the Procfile is not NAME: COMMAND, with a name of a-z, 0-9 and dash')
    if (name === 'release') release = command
    else processes[name] = processOf(command)
  }
  const names = Object.keys(processes)
  if (names.length === 0 || names.length > 16) throw refused('the Procfile names no process, or more than 16')
  const manifest = manifestOf(facts)
  const node = manifest === undefined ? EMPTY : nodePlan(facts, manifest)
  return { ...node, type: 'processes', why: `Procfile: ${names.join(', ')}`, release, processes }
}

interface Manifest {
  readonly start: string | undefined
  readonly build: string | undefined
  readonly hasDependencies: boolean
  readonly node: string | undefined
}

type Raw = Readonly<Record<string, unknown>>
const objectOf = (value: unknown): Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {}
const wordOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

function manifestOf(facts: ReleaseFacts): Manifest | undefined {
  const text = facts.text(MANIFEST)
  if (text === undefined) return undefined
  let value: Raw
  try {
    value = objectOf(JSON.parse(text))
  } catch {
    throw refused(`${MANIFEST} is not JSON`)
  }
  const scripts = objectOf(value.scripts)
  const lists = [value.dependencies, value.devDependencies, value.optionalDependencies].map(objectOf)
  return {
    start: wordOf(scripts.start),
    build: wordOf(scripts.build),
    hasDependencies: lists.some((list) => Object.keys(list).length > 0) || value.workspaces !== undefined,
    node: wordOf(objectOf(value.engines).node),
  }
}

function nodePlan({ names }: ReleaseFacts, manifest: Manifest): AppPlan {
  const { hasDependencies, start, build, node } = manifest
  const install = LOCKS.some((name) => names.has(name)) ? 'npm ci' : 'npm install'
  const other = OTHER_LOCKS.find((name) => names.has(name))
  const isBlind = hasDependencies && install === 'npm install' && other !== undefined
  return {
    ...EMPTY,
    type: 'processes',
    why: `${MANIFEST}: node, by its script start`,
    notes: isBlind
      ? [`npm does not read ${other}: say build.command in ${DEFINITION_FILE} for another program`]
      : [],
    build: [...(hasDependencies ? [install] : []), ...(build === undefined ? [] : ['npm run build'])],
    processes: start === undefined ? {} : { [WEB]: processOf('npm start') },
    node,
  }
}
