import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Returns the files of the checkout, tracked or not, without the files that git ignores. */
function filesOf(root: string): readonly string[] {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const
  const output = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    options,
  )
  return output.split('\0').filter((path) => path !== '' && existsSync(join(root, path)))
}

/**
 * Links every installed package into `to`, one by one. Workspaces are linked relative to their folder, so
 * that a copy runs its own sources: a link to the whole folder would lead back to the original ones.
 */
function linkModules(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.name === '@svc') {
      cpSync(source, target, { recursive: true, verbatimSymlinks: true })
    } else if (entry.isDirectory() && entry.name.startsWith('@')) {
      linkModules(source, target)
    } else if (entry.isFile()) {
      // npm's record of what is installed: it writes through a link.
      cpSync(source, target)
    } else symlinkSync(source, target)
  }
}

/** Copies the checkout at `root` into a folder of its own, which is deleted when this process exits. */
export function copyOf(root: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-copy-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const path of filesOf(root)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path))
  }
  for (const modules of ['.', ...workspaces(root)].map((path) => join(path, 'node_modules'))) {
    if (existsSync(join(root, modules))) linkModules(join(root, modules), join(folder, modules))
  }
  return folder
}

const workspaces = (root: string): readonly string[] => [
  'bench',
  ...readdirSync(join(root, 'packages')).map((name) => join('packages', name)),
]
