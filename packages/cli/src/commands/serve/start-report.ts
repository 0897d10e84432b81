import { type ControlPlane, configSummary } from '@svc/core'

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/

/** Reports settings that are probably not meant. */
export function logSettingWarnings({ config, log, signer }: ControlPlane): void {
  for (const warning of config.warnings) log.warn({ warning }, 'doubtful setting')
  for (const [group, faults] of Object.entries(config.faults)) {
    log.warn({ group, faults }, 'bad settings close this feature')
  }
  for (const fault of signer.faults) log.warn({ fault }, 'bad signing key')
}

/** Says which settings are in force, and which missing ones have consequences. */
export function tellSettings({ access, config, log, signer, licenses, storage }: ControlPlane): void {
  log.info({ settings: configSummary(config) }, 'settings that are not the defaults')
  if (signer.status === 'unset') {
    log.warn({}, 'SERVICE_LICENSE_PRIVKEY is not set: activation answers 503; svc mint-key makes a key')
  }
  tellOfRelay({ access, config, log, storage })
  if (licenses.mode === 'development') {
    log.warn(
      {},
      'development rules: any license key is accepted; set NODE_ENV=production or SERVICE_LICENSE_KEYS',
    )
  }
  if (config.service.production) tellOfProduction({ config, log })
  if (storage.kind === 'pglite-memory') {
    log.warn(
      {},
      'everything is in memory and ends with this process: set DATABASE_URL or --data-dir to keep it',
    )
  }
}

/** Consequences of the settings of the relay, if there are some. */
function tellOfRelay({
  access,
  config,
  log,
  storage,
}: Pick<ControlPlane, 'access' | 'config' | 'log' | 'storage'>): void {
  const { mode } = config.relay
  if (mode === 'off') return
  if (access.lack !== undefined) {
    log.warn({ lack: access.lack }, 'no sessions on hosts: RELAY_MODE is set, and no relay can be used')
  } else if (mode === 'embedded' && storage.kind === 'postgresql') {
    log.warn(
      {},
      'the relay is in this process: both sides of a session must reach it. With several replicas give each its own RELAY_URL, or run svc relay serve',
    )
  }
}

/** Warnings about things that are open or unset and should not be in production. */
function tellOfProduction({ config, log }: Pick<ControlPlane, 'config' | 'log'>): void {
  const { publicUrl } = config.service
  if (publicUrl === undefined) {
    log.warn({}, 'SERVICE_PUBLIC_URL is not set: pages of any host that leads here count as our own')
  } else if (/^http:/i.test(publicUrl)) {
    log.warn({}, 'SERVICE_PUBLIC_URL is not https: passwords and sessions can be read on the way')
  }
  const { host, trustedProxies, trustedProxyHops } = config.http
  if (trustedProxies.length === 0 && trustedProxyHops > 0 && !LOOPBACK.test(host)) {
    log.warn(
      { host },
      'a client that reaches this port without a proxy chooses its own address: set SERVICE_TRUSTED_PROXIES to the ranges of the proxies, or SERVICE_TRUSTED_PROXY_HOPS=0 without one',
    )
  }
  if (config.metrics.token === undefined && config.faults.metrics === undefined) {
    log.warn({}, '/metrics is open to everybody who reaches it: set SERVICE_METRICS_TOKEN')
  }
}
