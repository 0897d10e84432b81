import { shellWord } from '@svc/core/adapters'
import type { AgentOptions } from '../agent-options.ts'
import type { ClaimedJob } from './claimed-job.ts'
import { gitAuthOf } from './git-auth.ts'
import { handlerFolders } from './handler-folders.ts'
import type { WorkFolder } from './work-folder.ts'

/**
 * Variables of the agent's own environment that handlers see. It is an allow-list, because other variables
 * may hold the license key, a database address or another service's secret.
 */
const INHERITED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|TERM|XDG_RUNTIME_DIR|DBUS_SESSION_BUS_ADDRESS|SSH_AUTH_SOCK|SSH_AGENT_PID|GIT_SSH|GIT_SSH_COMMAND|GIT_SSL_CAINFO|SSL_CERT_FILE|SSL_CERT_DIR|DOCKER_HOST|(HTTPS?|ALL|NO)_PROXY|(https?|all|no)_proxy)$/

/** Variables of the agent's own user, which are useless or closed to another user. */
const OWN_USERS =
  /^(HOME|USER|LOGNAME|SHELL|TMPDIR|XDG_RUNTIME_DIR|DBUS_SESSION_BUS_ADDRESS|SSH_AUTH_SOCK|SSH_AGENT_PID)$/

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/
const PAYLOAD_KEY = /^[a-z][a-z0-9_]{0,63}$/
/** Linux limits one variable to 128 KiB; longer values than this stand in the job file only. */
const MAX_VALUE_CHARS = 16_384

/**
 * Variables that handlers trust. They are empty where the agent has nothing to say: a field of a payload
 * speaks for none of them.
 */
const TRUSTED = [
  'SVC_BACKUP_HOST',
  'SVC_CURRENT_DIR',
  'SVC_DEPLOYMENT_ID',
  'SVC_ENV_WITHHELD',
  'SVC_GIT_AUTH',
  'SVC_GIT_AUTH_FILE',
  'SVC_GIT_CREDENTIALS',
  'SVC_GIT_LENDING',
  'SVC_GIT_OWNER',
  'SVC_GIT_SERVER',
  'SVC_GIT_SUBMODULES',
  'SVC_KNOWN_HOSTS',
  'SVC_LOCAL_REPOSITORIES',
  'SVC_PROGRAM',
  'SVC_RELEASE_DIR',
  'SVC_RESTART',
  'SVC_TRIGGER',
] as const

/**
 * Returns the environment of a handler: simple fields of the payload, then allow-listed variables of the
 * host, and the agent's own variables, which win. Values that contain the license key are left out.
 */
export function handlerEnvironment(folder: WorkFolder, options: AgentOptions): Record<string, string> {
  const { job } = folder
  const { state, apps } = handlerFolders(options)
  const own = {
    SVC_JOB_ID: job.id,
    SVC_JOB_KIND: job.kind,
    SVC_JOB_ATTEMPT: String(job.attempt),
    SVC_JOB_FILE: folder.jobFile,
    SVC_ENV_FILE: folder.envFile,
    SVC_IMAGES_FILE: folder.imagesFile,
    SVC_WORK_DIR: folder.handlerPath,
    SVC_STATE_DIR: state,
    SVC_APPS_DIR: apps,
    SVC_TIMEOUT_SECONDS: String(job.timeoutSeconds),
    SVC_PROGRAM: (options.program ?? []).map(shellWord).join(' '),
    ...(job.deploymentId ? { SVC_DEPLOYMENT_ID: job.deploymentId } : {}),
    ...withheld(job),
    ...(job.payload.restart === true ? { SVC_RESTART: '1' } : {}),
    ...gitFacts(folder),
  }
  const all = {
    PATH: DEFAULT_PATH,
    ...payloadFacts(job),
    ...Object.fromEntries(TRUSTED.map((name) => [name, ''])),
    ...inherited(options),
    ...options.handlerEnvironment,
    ...own,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => !holds(value, options.licenseKey)))
}

// Beside the payload, which others than the service write.
const withheld = ({ raw: { env_withheld: why } }: ClaimedJob): Record<string, string> =>
  typeof why === 'string' ? { SVC_ENV_WITHHELD: why } : {}

function gitFacts({ job, gitAuthFile }: WorkFolder): Record<string, string> {
  const auth = gitAuthOf(job)
  return {
    ...(job.payload.trigger === 'git' ? { SVC_TRIGGER: 'git' } : {}),
    ...(auth === undefined
      ? {}
      : {
          SVC_GIT_AUTH: auth.type,
          SVC_GIT_AUTH_FILE: gitAuthFile,
          SVC_GIT_SUBMODULES: auth.submodules,
        }),
  }
}

/**
 * Returns the `env` of the payload as lines that a POSIX shell reads with `.`. Names that no shell accepts
 * are left out.
 */
export function appEnvironment(job: ClaimedJob): string {
  const env = job.payload.env
  if (typeof env !== 'object' || env === null) return ''
  return Object.entries(env)
    .filter(([name, value]) => VARIABLE.test(name) && typeof value === 'string' && !value.includes('\0'))
    .map(([name, value]) => `${name}='${String(value).replaceAll("'", `'\\''`)}'\n`)
    .join('')
}

function inherited({ environment = {}, handlerUser }: AgentOptions): Record<string, string> {
  const entries = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && INHERITED.test(entry[0]),
  )
  if (!handlerUser) return Object.fromEntries(entries)
  const { name, home, loginShell } = handlerUser
  const its = { HOME: home, USER: name, LOGNAME: name, SHELL: loginShell }
  return { ...Object.fromEntries(entries.filter(([variable]) => !OWN_USERS.test(variable))), ...its }
}

/**
 * Returns simple fields of the payload as variables: `app` → `SVC_APP`, `older_than_seconds` →
 * `SVC_OLDER_THAN_SECONDS`. Fields of `source` are named in the same way, but its `type` → `SVC_SOURCE_TYPE`.
 */
function payloadFacts({ payload }: ClaimedJob): Record<string, string> {
  const { source } = payload
  const { type, ...rest } = (typeof source === 'object' && source !== null ? source : {}) as Record<
    string,
    unknown
  >
  const facts: Record<string, string> = {}
  for (const [key, value] of Object.entries({ ...payload, ...rest, source_type: type })) {
    const text = plain(value)
    if (PAYLOAD_KEY.test(key) && text !== undefined) facts[`SVC_${key.toUpperCase()}`] = text
  }
  return facts
}

function plain(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const fits = typeof value === 'string' && value.length <= MAX_VALUE_CHARS && !value.includes('\0')
  return fits ? value : undefined
}

const holds = (value: string, secret: string): boolean => secret !== '' && value.includes(secret)
