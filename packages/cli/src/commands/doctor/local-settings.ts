import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Config, ConfigError, type Environment, readConfig } from '@svc/core'
import { DEFAULT_DATA_DIR } from '../../connect/connect.ts'
import type { Io } from '../../terminal/io.ts'

/** The usable settings, and the faults of the others. */
export interface LocalSettings {
  readonly config: Config
  /** Sentences without values. */
  readonly faults: readonly string[]
}

/**
 * Reads the settings as the service would. A setting that would stop the start counts as unset, so that the
 * rest is seen.
 */
export function localSettings(io: Pick<Io, 'cwd' | 'env'>, dataDir: string | undefined): LocalSettings {
  const folder = dataDir ?? io.env.SERVICE_DATA_DIR ?? defaultFolder(io.cwd)
  const env: Environment = { ...io.env, SERVICE_DATA_DIR: folder && resolve(io.cwd, folder) }
  try {
    return { config: readConfig(env), faults: [] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const names = new Set(error.faults.map((fault) => fault.split(' ')[0]))
    const sound = Object.entries(env).filter(([name]) => !names.has(name))
    return { config: readConfig(Object.fromEntries(sound)), faults: error.faults }
  }
}

const defaultFolder = (cwd: string): string | undefined =>
  existsSync(resolve(cwd, DEFAULT_DATA_DIR)) ? DEFAULT_DATA_DIR : undefined
