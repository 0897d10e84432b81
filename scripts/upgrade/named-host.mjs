// Loaded before a program of the fixtures, so that they do not name the machine that made them.
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'

os.hostname = () => process.env.FIXTURE_HOST ?? 'web-1'
syncBuiltinESMExports()
