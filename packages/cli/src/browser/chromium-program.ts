import { existsSync } from 'node:fs'
import type { Config } from '@svc/core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/google-chrome'] as const

/** Returns the browser that the settings name, else the first that is installed. */
export const chromiumProgram = ({ browser }: Pick<Config, 'browser'>): string | undefined =>
  [browser.executable ?? PLACES].flat().find((path) => existsSync(path))

/** Why Chromium cannot be started; undefined if it can. */
export function chromiumLack(config: Pick<Config, 'browser'>): string | undefined {
  const { executable, noSandbox } = config.browser
  if (chromiumProgram(config) === undefined)
    return executable === undefined
      ? `there is no Chromium: install Debian's package chromium, or set BROWSER_EXECUTABLE`
      : 'there is no file at BROWSER_EXECUTABLE'
  if (process.getuid?.() === 0 && noSandbox !== '1')
    return 'Chromium has no sandbox as root: run the service as another user, or set BROWSER_NO_SANDBOX=1'
  return undefined
}

/**
 * Features that stay off. The first asks a service of Chromium's maker about every form, by the credential of
 * the page. Chromium takes the last list alone, so that those which Playwright turns off are repeated.
 */
const FEATURES_OFF: readonly string[] = [
  'AutofillServerCommunication',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
]

/**
 * Arguments of the browser. WebRTC and QUIC would send UDP past the proxy; the others keep Chromium from
 * calling its maker, and from the small /dev/shm of containers.
 */
export const CHROMIUM_ARGUMENTS: readonly string[] = [
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-dev-shm-usage',
  '--dns-prefetch-disable',
  `--disable-features=${FEATURES_OFF.join(',')}`,
]
