import { signalsContract } from '@svc/testing/contracts'
import { onEveryStorage } from '../storage/backends.ts'

onEveryStorage(signalsContract)
