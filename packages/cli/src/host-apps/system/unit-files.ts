import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AppContainer, AppProcess, AppStop, AppVolumes } from '@svc/core/adapters'
import { volumeVariables } from '../volumes.ts'
import type { AppUser } from './app-user.ts'
import { makeVolumes } from './app-volumes.ts'
import { containerFiles } from './container-text.ts'
import { envText, runText, stateFolder, volumeFolder } from './unit-text.ts'

/** Inputs of the files that a unit reads. */
export interface UnitFiles {
  readonly folder: string
  readonly user: AppUser
  /** One line of a shell; a container without one does as its image says. */
  readonly command: string | undefined
  readonly env: Readonly<Record<string, string>>
  readonly stop: AppStop
  readonly volumes: AppVolumes
  readonly container: AppContainer | undefined
  /** The name of its container. */
  readonly name: string
  readonly isKept: boolean
  readonly capabilities?: AppProcess['capabilities']
  /** Its port of 127.0.0.1. */
  readonly port?: number | undefined
}

/** Writes the folder of a unit: what it runs, its variables, a place for its output. Makes its volumes. */
export function writeUnitFiles(files: UnitFiles): void {
  const { folder, user, volumes, port } = files
  makeVolumes(user, volumes)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o711 })
  for (const [name, text] of Object.entries(textsOf(files))) {
    // Its reader is its owner alone.
    writeFileSync(join(folder, name), text, { mode: 0o400 })
    chownSync(join(folder, name), user.uid, user.gid)
  }
  writeFileSync(join(folder, 'port'), String(port ?? ''), { mode: 0o600 })
  writeFileSync(join(folder, 'output'), '', { mode: 0o600 })
}

function textsOf(files: UnitFiles): Readonly<Record<string, string>> {
  const { folder, user, command = '', env, volumes, container, capabilities, port } = files
  const withPort = (number: number | undefined) => (number === undefined ? {} : { PORT: String(number) })
  if (container === undefined) {
    const own = { HOME: stateFolder(user.name), ...env, ...volumeVariables(volumes), ...withPort(port) }
    return { run: runText(folder, command), env: envText(own) }
  }
  const own = { ...env, ...volumeVariables(volumes), ...withPort(container.port) }
  const mounts = Object.entries(volumes).map(([name, path]) => `${volumeFolder(user.name, name)}:${path}`)
  const given = { ...files, container, capabilities, user: user.name, env: own, published: port }
  return containerFiles({ ...given, mounts })
}
