/** A change of a file by a step of a recipe: `old` is replaced by `text`; without `old` the file is created. */
export type Edit = { recipe: string; step: number; path: string; old?: string; text: string }
