/** What went over the wire for the data on show: a `fetch` for the package's stores that counts. */

export class Wire {
  requests = 0;
  /** Bytes of the answers, as their headers announce them. */
  bytes = 0;
  onChange: () => void = () => {};

  readonly fetch = async (request: Request): Promise<Response> => {
    this.requests += 1;
    this.onChange();
    const response = await fetch(request);
    this.bytes += Number(response.headers.get("Content-Length") ?? 0);
    this.onChange();
    return response;
  };
}
