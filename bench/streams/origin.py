"""The origin of `./dev bench streams`: nginx for files, and a server that counts uploads and keeps
silent streams open."""
import asyncio
import sys


async def serve(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            if head.startswith(b"GET"):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/x\r\n"
                             b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n")
                await writer.drain()
                await reader.read()
                return
            await skip_body(reader, head)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def skip_body(reader, head):
    if b"chunked" not in head.lower():
        size = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n")
                    if line.startswith(b"content-length:"))
        while size > 0:
            size -= len(await reader.read(min(size, 1 << 20)))
        return
    while True:
        size = int(await reader.readuntil(b"\r\n"), 16)
        await reader.readexactly(size + 2)
        if size == 0:
            return


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]), limit=1 << 22, backlog=4096)
    async with server:
        await server.serve_forever()


asyncio.run(main())
