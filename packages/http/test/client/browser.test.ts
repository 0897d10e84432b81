import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '../../../..')

test('A browser loads the client alone: no module of Node, no package, no part of the service', async () => {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['packages/http/src/client/index.ts'],
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    conditions: ['svc-source'],
  })
  const loaded = Object.keys(metafile.inputs)
  expect(loaded.length).toBeGreaterThan(3)
  expect(loaded.filter((path) => !path.startsWith('packages/http/src/client/'))).toEqual([])
  expect(outputFiles[0]?.text).not.toMatch(/\b(?:process|Buffer|require)\b/)
  expect(outputFiles[0]?.contents.byteLength).toBeLessThan(10_000)
})
