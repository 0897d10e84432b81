/** Keys of a service that are carried out. The page `docs/compose.md` lists the same. */
export const TAKEN: readonly string[] = [
  ...['build', 'cap_add', 'cap_drop', 'command', 'container_name', 'cpus', 'depends_on', 'deploy'],
  ...['entrypoint', 'env_file', 'environment', 'expose', 'healthcheck', 'hostname', 'image', 'init'],
  ...['links', 'mem_limit', 'networks', 'ports', 'profiles', 'pull_policy', 'read_only', 'scale'],
  ...['shm_size', 'stop_grace_period', 'stop_signal', 'tmpfs', 'user', 'volumes', 'working_dir'],
]

const WALLS = 'the walls around a container stay'
const HOST = 'it would reach into the host'

/** Keys of a service that are refused, each with the reason. False, empty and harmless values are no word. */
export const REFUSED: Readonly<Record<string, string>> = {
  privileged: HOST,
  network_mode: HOST,
  pid: HOST,
  ipc: HOST,
  uts: HOST,
  userns_mode: HOST,
  cgroup: HOST,
  cgroup_parent: HOST,
  devices: HOST,
  device_cgroup_rules: HOST,
  gpus: HOST,
  runtime: HOST,
  isolation: HOST,
  use_api_socket: HOST,
  security_opt: WALLS,
  sysctls: WALLS,
  group_add: WALLS,
  extends: 'write the service out',
  configs: 'mount the file of the repository as a volume',
  secrets: 'set a variable with svc apps env, and name it in environment',
  volumes_from: 'name the volumes',
  external_links: 'no service of another application is reached by name',
  extra_hosts: 'only services of the file have names',
  models: 'no host runs models',
  provider: 'no host has providers',
  credential_spec: HOST,
  post_start: 'write it into command or entrypoint',
  pre_stop: 'write it into command or entrypoint',
}

/** Values of those keys that ask for nothing. */
export const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  network_mode: ['bridge', 'default', 'slirp4netns'],
  ipc: ['private', 'shareable', 'none'],
  security_opt: ['no-new-privileges', 'no-new-privileges:true', 'no-new-privileges=true'],
  cgroup: ['private'],
  isolation: ['default'],
}

/** Keys of a service that mean nothing here; the log names them. */
export const IGNORED: readonly string[] = [
  ...['annotations', 'attach', 'blkio_config', 'cpu_count', 'cpu_percent', 'cpu_period', 'cpu_quota'],
  ...['cpu_rt_period', 'cpu_rt_runtime', 'cpu_shares', 'cpuset', 'develop', 'dns', 'dns_opt', 'dns_search'],
  ...['domainname', 'label_file', 'labels', 'logging', 'mac_address', 'mem_reservation', 'mem_swappiness'],
  ...['memswap_limit', 'oom_kill_disable', 'oom_score_adj', 'pids_limit', 'platform', 'restart'],
  ...['stdin_open', 'storage_opt', 'tty', 'ulimits'],
]

/** Keys among them that need no line in the log. */
export const QUIET: readonly string[] = [
  'labels',
  'restart',
  'tty',
  'stdin_open',
  'annotations',
  'attach',
  'develop',
]

/** Keys of the file itself. */
export const OF_THE_FILE = [
  'version',
  'name',
  'services',
  'volumes',
  'networks',
  'configs',
  'secrets',
] as const

/** Keys of the file that would bring in other files. */
export const REFUSED_OF_THE_FILE: Readonly<Record<string, string>> = {
  include: 'write the services into one file',
  models: 'no host runs models',
}
