"""Makes moto-first.xml and moto-last.xml again: the two pages in which moto, an emulator of S3, lists the folder of capture.sh.

    pip install "moto[server]==5.2.5" boto3 && python s3.py
"""

import re
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path

import boto3

HERE = Path(__file__).parent
LONG = "long-name-that-servers-cut-in-the-text-of-the-link-but-not-in-the-link-itself-0123456789"
FOLDERS = ["a", "b c", "d&e", "f#g", "h%20i", "été", "j'k\"l", "m;n=o,p+q", LONG]
NAMES = ["zarr.json", ".zgroup", "x?y", *(folder + "/zarr.json" for folder in FOLDERS)]
URL = "http://127.0.0.1:8151"
LIST = URL + "/bucket?list-type=2&prefix=data%2Ezarr%2F&delimiter=%2F"


def get(url):
    return urllib.request.urlopen(url).read()


def main():
    server = subprocess.Popen([sys.executable, "-m", "moto.server", "-p", "8151"], stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                get(URL + "/moto-api/")
                break
            except OSError:
                time.sleep(0.3)
        names = {"aws_access_key_id": "x", "aws_secret_access_key": "y", "region_name": "us-east-1"}
        s3 = boto3.client("s3", endpoint_url=URL, **names)
        s3.create_bucket(Bucket="bucket", ACL="public-read")
        for name in NAMES:
            s3.put_object(Bucket="bucket", Key="data.zarr/" + name, Body=b"{}", ACL="public-read")
        first = get(LIST + "&max-keys=5")
        (HERE / "moto-first.xml").write_bytes(first)
        token = re.search(rb"<NextContinuationToken>(.*?)<", first).group(1).decode()
        last = get(LIST + "&continuation-token=" + urllib.parse.quote(token, safe=""))
        (HERE / "moto-last.xml").write_bytes(last)
    finally:
        server.terminate()


if __name__ == "__main__":
    main()
