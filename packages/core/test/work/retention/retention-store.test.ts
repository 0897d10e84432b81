import { retentionStoreContract } from '@svc/testing/contracts'
import { onEveryStorage } from '../../platform/storage/backends.ts'

onEveryStorage(retentionStoreContract)
