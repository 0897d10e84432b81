import {
  emailDomainsStoreContract,
  emailKeysStoreContract,
  emailMessagesStoreContract,
  emailSuppressionsStoreContract,
  remindersStoreContract,
} from '@svc/testing/contracts'
import { onEveryStorage } from '../../platform/storage/backends.ts'

onEveryStorage(emailDomainsStoreContract)
onEveryStorage(emailKeysStoreContract)
onEveryStorage(emailMessagesStoreContract)
onEveryStorage(emailSuppressionsStoreContract)
onEveryStorage(remindersStoreContract)
