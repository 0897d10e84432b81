import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { AppVolumes } from '@svc/core/adapters'

/** The folder of an application's volumes on a host where systemd does not keep it running. */
export const volumesFolder = (apps: string, app: string): string => join(apps, '.volumes', app)

/** Returns the variables that say where volumes are: `SVC_VOLUME_UPLOADS` for `uploads`. */
export const volumeVariables = (
  volumes: AppVolumes,
  placeOf: (name: string) => string | undefined = (name) => volumes[name],
): Record<string, string> =>
  Object.fromEntries(
    Object.keys(volumes).map((name) => [
      `SVC_VOLUME_${name.toUpperCase().replaceAll('-', '_')}`,
      placeOf(name) ?? '',
    ]),
  )

/** Returns the folders that are there and hold something. */
export const filledFolders = (folders: readonly string[]): readonly string[] =>
  folders.filter((folder) => existsSync(folder) && readdirSync(folder).length > 0)

/** Removes everything in a folder. The folder stays: its owner is known by it. */
export function emptyFolder(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
}
