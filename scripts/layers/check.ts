import { checkAmbient, checkLength, checkStreams } from './ambient.ts'
import { checkCallsOut } from './calls-out.ts'
import { checkDeclared } from './declared.ts'
import { checkLevels } from './levels.ts'
import { checkPackages } from './packages.ts'
import { checkCycles, checkFaces, checkListeners } from './reach.ts'
import { type Fault, readWorkspace } from './workspace.ts'

const CHECKS = [
  checkPackages,
  checkLevels,
  checkFaces,
  checkCycles,
  checkListeners,
  checkAmbient,
  checkStreams,
  checkCallsOut,
  checkDeclared,
  checkLength,
] as const

/** Holds file texts (by path from the checkout) to the layer rules; faults in the order of path and line. */
export function checkLayers(files: ReadonlyMap<string, string>): Fault[] {
  const workspace = readWorkspace(files)
  return CHECKS.flatMap((check) => check(workspace)).sort(
    (one, other) => one.path.localeCompare(other.path) || one.line - other.line,
  )
}
