"""zarrista, the Python binding of zarrs, reads arrays on servers, in archives and in Icechunk repositories. The crate itself
reads those in folders: `zarrs/`.
"""

import asyncio
import os

import icechunk
import numpy as np
import zarrista
from driver import drive
from obstore.store import HTTPStore
from zarrista.store import FilesystemStore, ZipStore


def session_of(array):
    access = {prefix: None for prefix in array["prefixes"]}
    credentials = icechunk.containers_credentials(access) if access else None
    storage = icechunk.local_filesystem_storage(array["file"])
    return icechunk.Repository.open(storage, authorize_virtual_chunk_access=credentials).readonly_session("main")


async def read_async(store, path):
    opened = await zarrista.AsyncArray.open(store, path)
    return (await opened[...]).to_numpy()


def read(array):
    kind, path = array["kind"], f"/{array['path']}"
    if kind == "http":
        store = HTTPStore.from_url(array["store"], client_options={"allow_http": True})
        return asyncio.run(read_async(store, path))
    if kind == "icechunk":
        return asyncio.run(read_async(session_of(array), path))
    if kind == "zip":
        folder, name = os.path.split(array["file"])
        store = ZipStore(FilesystemStore(folder), name, path=array["inside"] or None)
        return np.asarray(zarrista.Array.open(store, path)[...].to_numpy())
    if kind == "folder":
        return np.asarray(zarrista.Array.open(FilesystemStore(array["store"]), path)[...].to_numpy())
    raise ValueError(f"has no store for {kind}")


drive(read)
