import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { HandlerPlace } from '../run/handler-folders.ts'

/** The places of a host's security settings. */
export interface SecurityHost {
  /** The folder that stands for `/`: another one in images and tests. */
  readonly root: string
  /** The agent's own folder for it, mode 0700. */
  readonly folder: string
}

/** Returns the places of a host. */
export const securityHost = ({ stateDir }: Pick<HandlerPlace, 'stateDir'>, root: string): SecurityHost => ({
  root,
  folder: join(stateDir, 'security'),
})

/** The path of a file of the host. */
export const onHost = ({ root }: SecurityHost, path: string): string => join(root, path)

/** Whether systemd runs the services of this host. */
export const hasSystemd = async ({ root }: SecurityHost): Promise<boolean> =>
  root === '/' && (await stat('/run/systemd/system').catch(() => undefined))?.isDirectory() === true
