/**
 * A simple store in this origin's private file system, to which several workers can write.
 */
const folderOf = async (name) =>
  (await navigator.storage.getDirectory()).getDirectoryHandle(name, { create: true });

/** All values are in one folder. A slash in a key becomes "|". */
const fileName = (key) => key.replaceAll("/", "|");

export function privateFolder(name) {
  return {
    lockName: `private:${name}`,
    async get(key) {
      try {
        const handle = await (await folderOf(name)).getFileHandle(fileName(key));
        return new Uint8Array(await (await handle.getFile()).arrayBuffer());
      } catch (error) {
        if (error.name === "NotFoundError") return undefined;
        throw error;
      }
    },
    async set(key, value) {
      const handle = await (await folderOf(name)).getFileHandle(fileName(key), { create: true });
      const file = await handle.createWritable();
      await file.write(value);
      await file.close();
    },
    async delete(key) {
      await (await folderOf(name)).removeEntry(fileName(key)).catch(() => {});
    },
  };
}

/** Removes the store. */
export const removePrivateFolder = async (name) =>
  (await navigator.storage.getDirectory()).removeEntry(name, { recursive: true }).catch(() => {});
