import type { Image } from '../../images/image.ts'
import type { OperatedImages } from '../../images/image-operations.ts'
import { type Images, noImage, type RestoreInput, theImage } from '../../images/images.ts'
import type { ImageFilter } from '../../images/images-store.ts'
import type { TenantLicenses } from './tenant-licenses.ts'

/** The images of one tenant. Others do not exist for it. */
export class TenantImages implements OperatedImages {
  readonly #images: Images
  readonly #licenses: TenantLicenses

  constructor(images: Images, licenses: TenantLicenses) {
    this.#images = images
    this.#licenses = licenses
  }

  async list(filter: ImageFilter): Promise<readonly Image[]> {
    const images = await this.#licenses.reads(filter.licenseId, (licenseId) =>
      this.#images.list({ ...filter, licenseId }),
    )
    return images.sort(latestFirst).slice(0, filter.limit)
  }

  /** Each license is asked by itself, so that images of others do not count among the candidates. */
  async resolve(name: string, licenseId?: string): Promise<Image> {
    return theImage(await this.#licenses.reads(licenseId, (id) => this.#images.find(name, id)), name)
  }

  async forget(image: Image, isForced: boolean): Promise<Image> {
    await this.#require(image)
    return this.#images.forget(image, isForced)
  }

  async restore(input: RestoreInput) {
    await this.#require(input.image)
    return this.#images.restore(input)
  }

  async #require({ id, licenseId }: Image): Promise<void> {
    if (!(await this.#licenses.owns(licenseId))) throw noImage(id)
  }
}

const latestFirst = (one: Image, other: Image): number =>
  other.capturedAt.getTime() - one.capturedAt.getTime() || (one.id < other.id ? 1 : -1)
