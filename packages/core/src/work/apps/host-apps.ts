import { type Infer, optional } from 'superstruct'
import { present } from '../../kernel/present.ts'
import {
  anyText,
  field,
  flag,
  listOf,
  mapOf,
  matching,
  oneOf,
  read,
  shape,
  text,
  whole,
} from '../../kernel/validation.ts'
import { MAX_HOSTS } from './app.ts'
import { buildArgs, type HostImage, hostImage, imageName, stageName } from './container.ts'
import {
  cronField,
  linksField,
  packagesField,
  processesField,
  processName,
  repoPath,
  scaleField,
  staticField,
  stopField,
  volumesField,
} from './definition.ts'
import { exposuresField } from './exposure.ts'
import { loginsField } from './registry-login.ts'
import { containerField } from './service.ts'

const commit = matching(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, 'a full commit id')

/** A release that a host keeps running. Its files are in `APP/releases/SHA` of the apps folder. */
const release = shape({
  sha: commit,
  /** Deploys of the app so far, this one among them: its `SVC_RELEASE`. */
  number: whole(1, Number.MAX_SAFE_INTEGER),
  processes: optional(processesField),
  static: optional(staticField),
  /** The containers of processes, by their names. */
  containers: optional(mapOf(anyText(), containerField)),
  stop: stopField,
  volumes: optional(volumesField),
  cron: optional(cronField),
  /** Applications of this host that it reaches. */
  links: optional(linksField),
  /** Processes that an earlier release began, and that were left running: the number of that release. */
  kept: optional(mapOf(anyText(), whole(1, Number.MAX_SAFE_INTEGER))),
  /** The command that runs before the first process of the release starts. */
  before: optional(text(1, 4_096)),
  env: mapOf(anyText(), anyText()),
})
const appRecord = shape({
  stopped: flag(),
  live: release,
  /** Releases from before, newest first, which can be put back as they were. */
  former: optional(listOf(release, 2)),
  scale: optional(scaleField),
  /** Whether visitors are turned away while its processes run. */
  maintenance: optional(flag()),
  /** The port of 127.0.0.1 that stays the application's, where the host has one for it. */
  port: optional(whole(1, 65_535)),
  /** The ports of its other processes that answer visitors, by their names. */
  ports: optional(mapOf(processName, whole(1, 65_535))),
})
const hostApps = shape({
  version: field<1>({ const: 1 }, (value) => value === 1, 'the number 1'),
  front: shape({ port: whole(0, 65_535) }),
  apps: mapOf(matching(/^[a-z0-9][a-z0-9._-]{0,127}$/, 'the name of an application'), appRecord),
  /** The domains of its applications, where the host has a proxy. */
  domains: optional(exposuresField),
})
/** `job`: the job that is carried out, of which a later attempt may give the order again. */
const deployOrder = shape({
  app: anyText(),
  release,
  job: optional(anyText()),
  /** Whether processes begin anew that are as they were. */
  fresh: optional(flag()),
  /** Whether the release is put back as it last ran, with its variables of then. */
  former: optional(flag()),
})
/**
 * `file`: the Dockerfile of the release of that commit; `image`: the name of an image to be pulled, which is
 * a release of its own without a commit.
 */
const imageOrder = shape({
  app: anyText(),
  sha: optional(commit),
  file: optional(repoPath),
  image: optional(imageName),
  /** The service of a compose file that it is for. */
  service: optional(processName),
  /** The folder of the repository that the build sees; the whole without. */
  context: optional(repoPath),
  target: optional(stageName),
  args: optional(buildArgs),
  /** Whether the registry is asked for an image that is there. */
  fresh: optional(flag()),
  /** Files and folders of the release that its container mounts, by their digests. */
  files: optional(mapOf(matching(/^[0-9a-f]{64}$/, 'a digest'), repoPath)),
  /** Logins at registries, by their hosts. */
  logins: optional(loginsField),
})
/** Commands, one after the other, that make a release of the files of a commit. */
const buildOrder = shape({
  app: anyText(),
  sha: commit,
  commands: listOf(text(1, 4_096), 64),
  /** Variables of the commands. */
  env: mapOf(anyText(), anyText()),
  timeout_s: whole(1, 86_400),
})
/**
 * A script of an application that runs nothing: `deploy.sh` makes a release anew and may change it, `stop.sh`
 * runs in the release as it is. `live`: the commit of the release that is live.
 */
const scriptOrder = shape({
  app: anyText(),
  sha: commit,
  script: oneOf(['deploy.sh', 'stop.sh']),
  live: optional(commit),
  env: mapOf(anyText(), anyText()),
})
/** A change of an application that runs. */
const adjustment = { scale: optional(scaleField), maintenance: optional(flag()) }
const adjustOrder = shape({ app: anyText(), ...adjustment })
const appOrder = shape({ app: anyText() })
/** `files`: what was built for it goes too; `data`: so do its volumes. */
const removeOrder = shape({ app: anyText(), files: optional(flag()), data: optional(flag()) })
/** Orders about all data of an application. `path`: the folder, or the dump, that the order reads. */
const dataOrder = shape({
  op: oneOf(['capture', 'captured', 'restore', 'undo', 'drill']),
  app: anyText(),
  path: optional(text(1, 4_096)),
})
const packagesOrder = shape({ packages: packagesField })
const runOrder = shape({ app: anyText(), command: text(1, 4_096) })
const line = shape({ kind: oneOf(['said', 'failed', 'done']), text: anyText() })

/** The file `apps.json`: the applications that a host keeps running. */
export type HostApps = Infer<typeof hostApps>
/** A release that runs, or is about to. */
export type AppRelease = Infer<typeof release>
/** An order to put a release in the place of the live one. */
export type DeployOrder = Infer<typeof deployOrder>
/** An order about all data of an application. */
export type DataOrder = Infer<typeof dataOrder>
/** An image that a release needs. */
export type ImageOrder = Infer<typeof imageOrder>
/** An order to build a release. */
export type BuildOrder = Infer<typeof buildOrder>
/** An order to run a script of an application that runs nothing. */
export type ScriptOrder = Infer<typeof scriptOrder>
/** A line of an answer of the supervisor. The last one is `failed` or `done`. */
export type SupervisorLine = Infer<typeof line>

/** The file of a host that runs nothing yet; `port` is the front's. */
export const noHostApps = (port: number): HostApps => ({ version: 1, front: { port }, apps: {} })

/** @throws Problem `invalid-input` for a file of another form */
export const readHostApps = (value: unknown): HostApps => read(hostApps, value)

/** @throws Problem `invalid-input` for an order of another form */
export const readDeployOrder = (value: unknown): DeployOrder => read(deployOrder, value)

/** @throws Problem `invalid-input` for an order of another form */
export const readImageOrder = (value: unknown): ImageOrder => read(imageOrder, value)

/** @throws Problem `invalid-input` for an order of another form */
export const readBuildOrder = (value: unknown): BuildOrder => read(buildOrder, value)

/** @throws Problem `invalid-input` for an order of another form */
export const readScriptOrder = (value: unknown): ScriptOrder => read(scriptOrder, value)

/** @throws Problem `invalid-input` for an answer of another form */
export const readHostImage = (value: unknown): HostImage => read(hostImage, value)

/** @throws Problem `invalid-input` for an order of another form */
export const readAppOrder = (value: unknown): Infer<typeof appOrder> => read(appOrder, value)

/** @throws Problem `invalid-input` for an order of another form */
export const readPackagesOrder = (value: unknown): Infer<typeof packagesOrder> => read(packagesOrder, value)

/** @throws Problem `invalid-input` for an order of another form */
export const readRunOrder = (value: unknown): Infer<typeof runOrder> => read(runOrder, value)

/** A change of an application that runs. */
export type AdjustOrder = Infer<typeof adjustOrder>

/** @throws Problem `invalid-input` for an order of another form */
export const readAdjustOrder = (value: unknown): AdjustOrder => read(adjustOrder, value)

/**
 * Reads the change of an application that the payload of a deploy asks for besides.
 * @throws Problem `invalid-input` for one of another form
 */
export function readAdjustment(payload: unknown): Omit<AdjustOrder, 'app'> {
  const { scale, maintenance } = (payload ?? {}) as Record<string, unknown>
  return read(shape(adjustment), { ...present('scale', scale), ...present('maintenance', maintenance) })
}

/** Whether a deploy puts a release back with the variables that it had. */
export const isWithEnv = (payload: unknown): boolean =>
  ((payload ?? {}) as { readonly with_env?: unknown }).with_env === true

const rollField = shape({ host: whole(1, MAX_HOSTS), of: whole(1, MAX_HOSTS) })

/** Whether a deploy brings an app to a host that its volumes do not come to. */
export function leavesData(payload: unknown): boolean {
  const { move } = (payload ?? {}) as { readonly move?: { readonly data?: unknown } | null }
  return typeof move === 'object' && move !== null && move.data !== true
}

/**
 * Reads which of an app's hosts a deploy is for, the first is 1; an app has one host when nothing says more.
 * @throws Problem `invalid-input` for a roll of another form
 */
export function readRoll(payload: unknown): Infer<typeof rollField> {
  const { roll } = (payload ?? {}) as Record<string, unknown>
  return roll === undefined ? { host: 1, of: 1 } : read(rollField, roll)
}

/** @throws Problem `invalid-input` for an order of another form */
export const readRemoveOrder = (value: unknown): Infer<typeof removeOrder> => read(removeOrder, value)

/** @throws Problem `invalid-input` for an order of another form */
export const readDataOrder = (value: unknown): DataOrder => read(dataOrder, value)

/** @throws Problem `invalid-input` for a line of another form */
export const readSupervisorLine = (value: unknown): SupervisorLine => read(line, value)
