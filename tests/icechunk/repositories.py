"""Writes Icechunk repositories, and what icechunk reads of them: `repositories.py <folder> <case> ...` writes `<folder>/<case>/` and
`<folder>/<case>.expected.json`. `make.sh` runs it, with each of the two versions of icechunk."""

import json
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path

import icechunk
import numpy as np
import zarr
from served import PORT, SIZE, byte_at, serve


def storage(folder):
    return icechunk.local_filesystem_storage(str(folder))


def config():
    made = icechunk.RepositoryConfig.default()
    made.inline_chunk_threshold_bytes = 16
    return made


def commit(repo, message, change, branch="main", **metadata):
    session = repo.writable_session(branch)
    change(session.store)
    return session.commit(message, metadata=metadata or None)


def first(store):
    """Nested groups; native and inline chunks; chunks that are missing; an array without dimensions; shards."""
    root = zarr.create_group(store, attributes={"title": "of icechunk"})
    options = {"chunks": (4, 5), "dtype": "float32", "fill_value": -1}
    temperature = root.create_array("temperature", shape=(10, 12), dimension_names=["lat", "lon"], **options)
    temperature[0:4, 0:10] = np.arange(40).reshape(4, 10) / 4
    root.create_array("small", shape=(6,), chunks=(2,), dtype="int16", compressors=None)[:] = np.arange(6) - 3
    root.create_array("scalar", shape=(), dtype="float64")[...] = 2.5
    root.create_array("unwritten", shape=(3, 3), chunks=(2, 2), dtype="uint8", fill_value=7)
    deep = root.create_group("deep", attributes={"level": 1}).create_group("er é")
    deep.create_array("values", shape=(3, 4, 5), chunks=(2, 2, 2), dtype="int32")[:] = np.arange(60).reshape(3, 4, 5)
    sharded = root.create_array("sharded", shape=(20, 20), shards=(10, 10), chunks=(5, 5), dtype="uint16")
    sharded[:15, :] = np.arange(300).reshape(15, 20)


def second(store):
    root = zarr.open_group(store)
    root["temperature"][4:8, 5:12] = 99.5
    root.create_array("added", shape=(4,), chunks=(4,), dtype="uint8")[:] = [1, 2, 3, 4]


def third(store):
    zarr.open_group(store)["small"][:] = 11


def values(session):
    """Every node of a state by its path: its attributes, and the elements of arrays."""
    root = zarr.open_group(session.store, mode="r")
    nodes = {"": root} | dict(root.members(max_depth=None))
    found = {}
    for path, node in sorted(nodes.items()):
        known = found[path] = {"attributes": dict(node.attrs)}
        if isinstance(node, zarr.Array):
            known["shape"] = list(node.shape)
            known["dtype"] = str(node.dtype)
            known["values"] = np.asarray(node[...]).ravel().tolist()
    return found


def described(repo, states):
    """What the repository says of itself, and the elements of its states."""
    branches, tags = sorted(repo.list_branches()), sorted(repo.list_tags())
    history = [
        {
            "id": each.id,
            "parent": each.parent_id,
            "message": each.message,
            "time": int(each.written_at.timestamp() * 1000),
            "metadata": dict(each.metadata),
        }
        for each in repo.ancestry(branch="main")
    ]
    sessions = {f"{kind} {name}": repo.readonly_session(**{kind: name}) for kind, name in states}
    return {
        "branches": {name: repo.lookup_branch(name) for name in branches},
        "tags": {name: repo.lookup_tag(name) for name in tags},
        "history": history,
        "states": {name: values(session) for name, session in sessions.items()},
    }


def keep_before(folder):
    """The mutable object as it is now, for a test of a commit between two reads."""
    for name in ["repo", "refs/branch.main/ref.json"]:
        if (folder / name).exists():
            shutil.copy(folder / name, folder / f"{name}.before")


STATES = [("branch", "main"), ("branch", "dev"), ("tag", "release")]


def plain(folder, **options):
    """Branches and tags, one of them deleted, and commits with metadata."""
    repo = icechunk.Repository.create(storage(folder), config=config(), **options)
    id = commit(repo, "the first", first, author="somebody", count=3)
    repo.create_tag("release", id)
    repo.create_tag("deleted", id)
    repo.delete_tag("deleted")
    repo.create_branch("dev", id)
    commit(repo, "on a branch", third, branch="dev")
    keep_before(folder)
    commit(repo, "the second", second)
    return described(repo, STATES)


def migrated(folder):
    plain(folder, spec_version=1)
    repo = icechunk.Repository.open(storage(folder))
    repo = icechunk.upgrade_icechunk_repository(repo, dry_run=False, delete_unused_v1_files=False)
    # From here on the references of version 1 are stale.
    commit(repo, "after the migration", lambda store: zarr.open_group(store)["small"].__setitem__(0, 5))
    return described(repo, STATES)


def expired(folder):
    """Version 2.1: snapshots that have expired leave their logs to the next one."""
    plain(folder)
    repo = icechunk.Repository.open(storage(folder))
    for message in ["expires", "expires too", "stays"]:
        commit(repo, message, third)
    repo.expire_snapshots(datetime.now(UTC), delete_expired_tags=False)
    return described(repo, STATES)


def split(folder):
    made = config()
    condition, axis = icechunk.ManifestSplitCondition.AnyArray(), icechunk.ManifestSplitDimCondition.Axis
    splitting = icechunk.ManifestSplittingConfig.from_dict({condition: {axis(0): 2, axis(1): 3}})
    made.manifest = icechunk.ManifestConfig(splitting=splitting)
    repo = icechunk.Repository.create(storage(folder), config=made)

    def change(store):
        root = zarr.create_group(store)
        options = {"chunks": (1, 1), "dtype": "int16", "compressors": None}
        root.create_array("all", shape=(5, 7), **options)[:] = np.arange(35).reshape(5, 7)
        root.create_array("corner", shape=(9, 9), fill_value=-9, **options)[7:, 7:] = [[1, 2], [3, 4]]

    commit(repo, "split", change)
    return described(repo, [("branch", "main")])


HTTP, BUCKET, NAMED = f"http://127.0.0.1:{PORT}/", "s3://bucket/", f"http://127.0.0.1:{PORT}/named/"


IS_1 = icechunk.__version__.startswith("1")


def container(prefix, store, **options):
    return icechunk.VirtualChunkContainer(prefix, store, **options)


def virtual_config():
    made = config()
    s3 = {"region": "us-east-1", "endpoint_url": HTTP[:-1], "anonymous": True, "allow_http": True}
    made.set_virtual_chunk_container(container(HTTP, icechunk.http_store()))
    made.set_virtual_chunk_container(
        container(BUCKET, icechunk.s3_store(s3_compatible=True, force_path_style=True, **s3))
    )
    # Version 1 has no names.
    if not IS_1:
        made.set_virtual_chunk_container(container(NAMED, icechunk.http_store(), name="named"))
    return made


def access():
    web = None if IS_1 else icechunk.credentials.HttpAccess
    prefixes = {HTTP: web, BUCKET: icechunk.s3_anonymous_credentials()} | ({} if IS_1 else {NAMED: web})
    return icechunk.containers_credentials(prefixes)


def create_virtual(folder):
    options = {"config": virtual_config(), "authorize_virtual_chunk_access": access()}
    return icechunk.Repository.create(storage(folder), **options)


def refer(store, array, specs):
    failed = store.set_virtual_refs(array, [icechunk.VirtualChunkSpec(*each[:4], **each[4]) for each in specs])
    assert not failed, failed


def virtual_array(root, name, shape, **options):
    plain = {"compressors": None, "filters": None, "dtype": "uint8", "chunks": (1, 4)}
    root.create_array(name, shape=shape, **plain, **options)


def expect_formula(name, elements, path_of, offset_of):
    """`elements` of icechunk are the bytes of the served files."""
    for at, value in enumerate(elements):
        assert value == byte_at(path_of(at // 4), offset_of(at // 4) + at % 4), (name, at)


NEWER, OLDER = datetime(2026, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC)
CHECKED = {
    "newer": {"last_updated_at_checksum": NEWER},
    "older": {"last_updated_at_checksum": OLDER},
    "etag": {"etag_checksum": "the-tag"},
    "other_etag": {"etag_checksum": "another-tag"},
    "absent": {},
}
PLACES = {
    "http": (f"{HTTP}a/one%20file.bin", "/a/one file.bin"),
    "s3": (f"{BUCKET}in/two.bin", "/bucket/in/two.bin"),
    "vcc": ("vcc://named/three.bin", "/named/three.bin"),
}


def virtual(folder):
    """Ranges of files on web servers: four bytes each, with checksums and without; one chunk has no reference."""
    # icechunk 1 does not find the container of an address with a port.
    names, prefix = (["s3"], BUCKET) if IS_1 else (["http", "s3", "vcc"], HTTP)
    repo = create_virtual(folder)

    def change(store):
        root = zarr.create_group(store)
        for name in [*names, *CHECKED]:
            virtual_array(root, name, (4, 8), fill_value=3)
        for name in names:
            at = [[row, column] for row in range(4) for column in range(2)][:-1]
            refer(store, f"/{name}", [(each, PLACES[name][0], 100 + 9 * i, 4, {}) for i, each in enumerate(at)])
        for name, checksum in CHECKED.items():
            file = "absent/file.bin" if name == "absent" else "checked.bin"
            refer(store, f"/{name}", [([0, 0], prefix + file, 10, 4, checksum)])

    commit(repo, "virtual", change)
    root = zarr.open_group(repo.readonly_session("main").store, mode="r")
    for name in names:
        rows = root[name][:].reshape(4, 2, 4).reshape(-1)[:28]
        expect_formula(name, rows, lambda _: PLACES[name][1], lambda at: 100 + 9 * at)
    found, refused = {}, []
    for name in root.array_keys():
        try:
            found[name] = root[name][:].ravel().tolist()
        except Exception as error:
            refused.append(name)
            print(folder.name, name, str(error).strip().split("\n")[0][:100])
    return {"virtual": found, "refused": sorted(refused)}


def dictionary(folder):
    """From 1000 virtual references on, locations are compressed with a dictionary."""
    repo = create_virtual(folder)

    def path(at):
        return f"/years/{1900 + at // 12}/month-{at % 12 + 1:02}.nc"

    def change(store):
        virtual_array(zarr.create_group(store), "many", (1200, 4), fill_value=0)
        refer(store, "/many", [([at, 0], HTTP[:-1] + path(at), 7 * at, 4, {}) for at in range(1200)])

    commit(repo, "many", change)
    elements = zarr.open_array(repo.readonly_session("main").store, path="many", mode="r")[:].ravel().tolist()
    expect_formula("many", elements, path, lambda at: 7 * at)
    return {"virtual": {"many": elements}, "refused": []}


CASES = {
    "v1": plain,
    "v1-by-2": lambda folder: plain(folder, spec_version=1),
    "v2": plain,
    "expired": expired,
    "migrated": migrated,
    "split": split,
    "virtual": virtual,
    "virtual-v1": virtual,
    "dictionary": dictionary,
}

if __name__ == "__main__":
    folder, *cases = sys.argv[1:]
    assert SIZE > 9000
    with serve():
        for case in cases:
            shutil.rmtree(Path(folder) / case, ignore_errors=True)
            expected = CASES[case](Path(folder) / case)
            (Path(folder) / f"{case}.expected.json").write_text(json.dumps(expected))
