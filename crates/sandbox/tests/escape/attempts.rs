//! The attempts of a hostile program. Each line has a name, a language and the code. The code calls `esc`
//! when it gained access it should not have; the harness also checks for effects outside.

use skillful_sandbox::Tier;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Shell,
    Python,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// By itself, after the attempt.
    Tried,
    /// At the time limit.
    Late,
    /// At the limit on processes.
    Crowded,
    /// At the limit on memory.
    Hungry,
    /// By a signal or by itself.
    Any,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Attempt {
    pub(crate) name: &'static str,
    pub(crate) language: Language,
    pub(crate) code: &'static str,
    pub(crate) end: End,
    /// Whether the attempt succeeds without a sandbox, which a test checks too: this shows that the attempt
    /// is a real threat.
    pub(crate) control: bool,
    /// The only tier that prevents it; the documentation of the other tier says so.
    pub(crate) only: Option<Tier>,
}

const fn sh(name: &'static str, code: &'static str) -> Attempt {
    Attempt { name, language: Language::Shell, code, end: End::Tried, control: false, only: None }
}

const fn py(name: &'static str, code: &'static str) -> Attempt {
    Attempt { name, language: Language::Python, code, end: End::Tried, control: false, only: None }
}

impl Attempt {
    const fn real(mut self) -> Self {
        self.control = true;
        self
    }

    const fn ends(mut self, end: End) -> Self {
        self.end = end;
        self
    }

    const fn only(mut self, tier: Tier) -> Self {
        self.only = Some(tier);
        self
    }
}

pub(crate) const ATTEMPTS: &[Attempt] = &[
    // Reading outside.
    sh("read by path", "cat $OUTSIDE/secret").real(),
    sh("read by a link that was there", "cat link").real(),
    sh("read by a link made now", "ln -s $OUTSIDE/secret new && cat new").real(),
    sh("read by a linked folder", "cat folder/secret").real(),
    sh("read by the root of itself", "cat /proc/self/root$OUTSIDE/secret").real(),
    sh("read by the folder of itself", "cat /proc/self/cwd/../outside/secret").real(),
    sh("read by dots", "cat ../outside/secret").real(),
    sh("read by a hard link", "ln $OUTSIDE/secret hard && cat hard").real(),
    sh("read by moving it in", "mv $OUTSIDE/secret moved && cat moved").real(),
    sh("read by changing folder", "cd $OUTSIDE && cat secret").real(),
    sh("run a program outside", "$OUTSIDE/tool").real(),
    sh("source a script outside", ". $OUTSIDE/tool").real(),
    py("read by a race of links", "import threading\nos.mkdir('d'); open('d/secret','w').write('mine')\ndef swap():\n  t=time.time()\n  while time.time()-t<.3:\n    os.rename('d','e'); os.symlink(E['OUTSIDE'],'d'); os.unlink('d'); os.rename('e','d')\nw=threading.Thread(target=swap); w.start()\nwhile w.is_alive():\n  try: open('d/secret').read()=='mine' or esc()\n  except OSError: pass"),
    py("write by a race of links", "import threading\nos.mkdir('d')\ndef swap():\n  t=time.time()\n  while time.time()-t<.3:\n    os.rename('d','e'); os.symlink(E['OUTSIDE'],'d'); os.unlink('d'); os.rename('e','d')\nw=threading.Thread(target=swap); w.start()\nwhile w.is_alive():\n  ok(os.mkdir,'d/made') and ok(os.rmdir,'d/made')"),
    sh("list a folder outside", "ls $OUTSIDE | grep -q secret && esc").real(),
    sh("find the neighbours", "find $(dirname $OUTSIDE) -name secret 2>&1 | grep secret$ && esc").real(),
    py("read by a folder handle", "d=os.open(E['OUTSIDE'],os.O_PATH); print(os.read(os.open('secret',os.O_RDONLY,dir_fd=d),99))").real(),
    py("read by reopening a path handle", "d=os.open(E['OUTSIDE']+'/secret',os.O_PATH); print(open(f'/proc/self/fd/{d}').read())").real(),
    py("read by a file handle of the kernel", "b=ctypes.create_string_buffer(136); struct.pack_into('I',b,0,128); m=ctypes.c_int(); r=libc.name_to_handle_at(-100,E['OUTSIDE'].encode()+b'/secret',b,ctypes.byref(m),0); r==0 or stop(); f=libc.open_by_handle_at(os.open('.',0),b,0); f>=0 and print(os.read(f,99))"),
    py("does a name outside exist", "os.path.exists(E['OUTSIDE']+'/secret') and esc()").only(Tier::Bubblewrap).real(),
    sh("read the passwords", "cat /etc/shadow && esc"),
    sh("list the homes", "ls -d /root/* /root/.[a-z]* /home/* 2>/dev/null | grep -v '\\*' | grep . >/dev/null && ls -A /root /home && esc"),
    sh("list logs", "ls /var/log && esc"),
    sh("read network addresses", "cat /sys/class/net/*/address && esc"),
    sh("read disks", "for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/mem /dev/kmsg /dev/port; do head -c1 $d && esc; done"),
    sh("read a socket of the system", "ls /run/docker.sock /run/dbus /run/systemd && cat /run/utmp && esc"),
    // Other processes.
    sh("environment of process 1", "test -n \"$(tr -d '\\0' < /proc/1/environ)\" && esc"),
    sh("arguments of process 1 hold variables", "tr '\\0' ' ' < /proc/1/cmdline | grep -q s[e]tenv && esc"),
    sh("environment of the caller", "grep -q CARGO /proc/$PARENT/environ && esc").real(),
    sh("environment of any process", "grep -ql CARGO_MANIFEST /proc/[0-9]*/environ && esc").real(),
    sh("environment of the parent process", "grep -q CARGO /proc/$PPID/environ && esc"),
    sh("arguments of the caller", "tr '\\0' ' ' < /proc/$PARENT/cmdline | grep -q escape && esc").real(),
    sh("open files of any process", "for f in /proc/[0-9]*/fd/*; do test \"$(readlink $f)\" = $OUTSIDE/secret && cat $f; done").real(),
    sh("root of the caller", "cat /proc/$PARENT/root$OUTSIDE/secret").real(),
    sh("folder of the caller", "ls /proc/$PARENT/cwd/ && esc").real(),
    sh("maps of the caller", "grep -q . /proc/$PARENT/maps && esc").real(),
    py("memory of the caller", "open(f\"/proc/{E['PARENT']}/mem\",'rb'); esc()").real(),
    py("memory of the parent process", "os.getppid()>1 or stop(); open(f'/proc/{os.getppid()}/mem','rb'); esc()"),
    py("read memory of the caller by call", "b=ctypes.create_string_buffer(8); v=(ctypes.c_void_p*2)(ctypes.addressof(b),8); r=libc.process_vm_readv(int(E['PARENT']),v,1,v,1,0); e=ctypes.get_errno(); (r>0 or e==errno.EFAULT) and esc(e)").real(),
    py("attach to another", "libc.ptrace(16,int(E['VICTIM']),0,0)==0 and esc()"),
    py("seize another", "libc.ptrace(0x4206,int(E['VICTIM']),0,0)==0 and esc()"),
    py("be traced", "libc.ptrace(0,0,0,0)==0 and esc()"),
    py("take a descriptor of the caller", "f=os.pidfd_open(int(E['PARENT'])); sysc(438,438,f,int(E['FD']),0)>=0 and esc()").real(),
    py("compare with another", "sysc(312,272,os.getpid(),int(E['PARENT']),0,0,0)>=0 and esc()"),
    py("kill another", "os.kill(int(E['VICTIM']),9); esc()").real(),
    py("stop another", "os.kill(int(E['VICTIM']),signal.SIGSTOP); esc()").real(),
    py("kill another by thread", "sysc(234,131,int(E['VICTIM']),int(E['VICTIM']),9)==0 and esc()").real(),
    py("kill another by queue", "b=ctypes.create_string_buffer(128); struct.pack_into('iii',b,0,9,0,-1); sysc(129,138,int(E['VICTIM']),9,b)==0 and esc()").real(),
    py("kill another by handle", "signal.pidfd_send_signal(os.pidfd_open(int(E['VICTIM'])),9); esc()").real(),
    py("is the caller there", "os.kill(int(E['PARENT']),0); esc()").real(),
    py("signal the parent process", "p=os.getppid(); p>1 or stop(); os.kill(p,9); esc()"),
    py("signal the caller's group", "os.killpg(os.getpgid(int(E['PARENT'])),0); esc()").real(),
    py("limits of another", "resource.prlimit(int(E['VICTIM']),resource.RLIMIT_NOFILE,(9,9)); esc()").real(),
    py("priority of another", "os.setpriority(os.PRIO_PROCESS,int(E['VICTIM']),15); esc()").real(),
    py("processors of another", "os.sched_setaffinity(int(E['VICTIM']),{0}); esc()").real(),
    py("shared memory by number", "i=libc.shmget(0,4096,0o600); i>=0 and esc(libc.shmctl(i,0,0))").only(Tier::Landlock).real(),
    // Leaks by inheritance.
    sh("a variable that was not given", "env | grep -Ev '^(PATH|HOME|OUTSIDE|INSIDE|GIVEN|VICTIM|PARENT|FD|TCP|UDP|SOCKET|ABSTRACT|MARK|PWD|OLDPWD|TMPDIR|SHLVL|_)=' && esc"),
    py("a descriptor that was not given", "n=[f for f in range(3,4096) if ok(os.fstat,f)]; n and esc(n)"),
    py("read every descriptor", "[print(os.pread(f,99,0)) for f in range(3,256) if ok(os.fstat,f)]"),
    py("a terminal", "os.open('/dev/tty',os.O_RDWR); esc()"),
    py("type into a terminal", "[libc.ioctl(f,0x5412,b'x')==0 and esc() for f in (0,1,2)]; ctypes.get_errno()==errno.EPERM or esc('not filtered')"),
    py("type into a terminal with high bits", "[libc.ioctl(f,ctypes.c_ulong(0x100005412),b'x')==0 and esc() for f in (0,1,2)]; ctypes.get_errno()==errno.EPERM or esc('not filtered')"),
    py("type into an own terminal", "m,s=os.openpty(); libc.ioctl(s,0x5412,b'x')==0 and esc()"),
    // Writing outside.
    sh("write outside", "echo x > $OUTSIDE/new && esc").real(),
    sh("append outside", "echo x >> $OUTSIDE/secret && esc").real(),
    sh("write by a link", "echo x > link && esc").real(),
    sh("write by a linked folder", "echo x > folder/new && esc").real(),
    sh("write by the root of itself", "echo x > /proc/self/root$OUTSIDE/new && esc").real(),
    sh("write by the caller's root", "echo x > /proc/$PARENT/root$OUTSIDE/new && esc").real(),
    sh("delete outside", "rm -f $OUTSIDE/secret && ! test -e $OUTSIDE/secret && test -d $OUTSIDE && esc").real(),
    sh("rename outside", "mv $OUTSIDE/secret $OUTSIDE/other && esc").real(),
    sh("make a folder outside", "mkdir $OUTSIDE/made && esc").real(),
    sh("make a link outside", "ln -s /x $OUTSIDE/made && esc").real(),
    sh("move a file out", "echo x > f && mv f $OUTSIDE/f && esc").real(),
    sh("link a file out", "echo x > f && ln f $OUTSIDE/f && esc").real(),
    py("truncate outside", "os.truncate(E['OUTSIDE']+'/secret',0); esc()").real(),
    py("cut by opening for reading", "os.open(E['OUTSIDE']+'/secret',os.O_RDONLY|os.O_TRUNC); esc()").real(),
    py("mode outside", "os.chmod(E['OUTSIDE']+'/secret',0o777); esc()").real(),
    py("mode outside by the newest call", "sysc(452,452,-100,E['OUTSIDE'].encode()+b'/secret',0o777,0)==0 and esc()"),
    py("owner outside", "os.chown(E['OUTSIDE']+'/secret',os.getuid(),os.getgid()); esc()").real(),
    py("times outside", "os.utime(E['OUTSIDE']+'/secret',(0,0)); esc()").real(),
    py("attribute outside", "os.setxattr(E['OUTSIDE']+'/secret','user.x',b'1'); esc()"),
    sh("write what is read-only", "echo x > $GIVEN/file && esc").real(),
    sh("make in what is read-only", "echo x > $GIVEN/new && esc").real(),
    sh("delete what is read-only", "rm -f $GIVEN/file && ! test -e $GIVEN/file && esc").real(),
    sh("free and write what is read-only", "chmod 666 $GIVEN/file && echo x > $GIVEN/file && esc").real(),
    sh("rename what is read-only", "mv $GIVEN/file $GIVEN/other && esc").real(),
    sh("move what is read-only out", "mv $GIVEN/file here && ! test -e $GIVEN/file && esc").real(),
    sh("write what is read-only by a hard link", "ln $GIVEN/file here && echo x > here && esc").real(),
    py("cut what is read-only", "os.open(E['GIVEN']+'/file',os.O_RDONLY|os.O_TRUNC); esc()").real(),
    py("mode of what is read-only by an open file", "os.fchmod(os.open(E['GIVEN']+'/file',os.O_RDONLY),0o777); esc()").real(),
    py("write what is read-only by reopening", "f=os.open(E['GIVEN']+'/file',os.O_RDONLY); os.open(f'/proc/self/fd/{f}',os.O_WRONLY|os.O_TRUNC); esc()").real(),
    sh("write a program of the system", "for f in /usr/bin/env /bin/sh /usr/lib/os-release; do (: >> $f) 2>/dev/null && esc; done"),
    sh("make a program of the system", "(: > /usr/bin/escaped) && rm -f /usr/bin/escaped && esc; (: > /usr/local/bin/escaped) && rm -f /usr/local/bin/escaped && esc"),
    sh("write settings", "for f in /etc/passwd /etc/hosts /etc/ld.so.preload /etc/crontab; do (: >> $f) 2>/dev/null && esc; done"),
    sh("make a file that is looked for and missing", "for f in /etc/ld.so.preload /etc/profile.d/x.sh /etc/cron.d/x /root/.ssh/authorized_keys /root/.bashrc /root/.profile /lib/security/x.so; do test -e $f && continue; (: > $f) 2>/dev/null && rm -f $f && esc; done"),
    sh("make what is given and missing", "mkdir -p $GIVEN/.git/hooks && esc; (: > $GIVEN/SKILL.md) && esc").real(),
    sh("write at the root", "mkdir /escaped && rmdir /escaped && esc"),
    py("core pattern", "os.open('/proc/sys/kernel/core_pattern',os.O_WRONLY); esc()"),
    py("magic keys", "os.open('/proc/sysrq-trigger',os.O_WRONLY); esc()"),
    py("settings of the kernel", "[ok(os.open,p,os.O_WRONLY) and esc(p) for p in ('/proc/sys/vm/drop_caches','/proc/sys/kernel/modprobe','/sys/kernel/uevent_helper','/sys/power/state','/proc/sys/kernel/hostname')]"),
    py("groups of the kernel", "[ok(os.mkdir,p+'/escaped') and esc(p) for p in ('/sys/fs/cgroup','/sys/fs/cgroup/pids','/sys/fs/cgroup/unified')]"),
    py("devices for writing", "[ok(os.open,p,os.O_WRONLY) and esc(p) for p in ('/dev/kmsg','/dev/mem','/dev/vda','/dev/sda','/dev/loop-control','/dev/fuse','/dev/kvm','/dev/net/tun')]"),
    sh("leave a file in /tmp", "echo x > /tmp/$MARK"),
    sh("leave a file in /var/tmp", "echo x > /var/tmp/$MARK"),
    sh("leave a file in /dev/shm", "echo x > /dev/shm/$MARK"),
    sh("leave a device folder file", "echo x > /dev/$MARK && esc"),
    // Effects that outlive the sandbox, or gain privileges.
    py("a file that runs as its owner", "os.close(os.open('s',os.O_CREAT|os.O_WRONLY)); os.chmod('s',0o4755); os.stat('s').st_mode&0o4000 and esc()").real(),
    py("a file that runs as its owner, from the start", "os.close(os.open('s',os.O_CREAT|os.O_WRONLY,0o4755)); os.stat('s').st_mode&0o4000 and esc()").real(),
    py("a file that runs as its owner, by the newest open", "h=struct.pack('QQQ',os.O_CREAT|os.O_WRONLY,0o4755,0); sysc(437,437,-100,b's',h,24)>=0 and esc()"),
    py("a character device", "os.mknod('n',0o666|stat.S_IFCHR,os.makedev(1,3)); esc()"),
    py("a block device", "os.mknod('n',0o666|stat.S_IFBLK,os.makedev(254,0)); esc()"),
    py("programs that run as root", "libc.prctl(39,0,0,0,0)==1 or esc()").real(),
    py("capabilities", "h=struct.pack('Ii',0x20080522,0); b=ctypes.create_string_buffer(24); libc.capget(h,b); any(struct.unpack('6I',b.raw)) and esc(b.raw)"),
    py("another user", "os.setgid(1); os.setuid(1); esc()"),
    sh("a program that runs as root", "for p in su sudo mount newgrp; do command -v $p >/dev/null && $p --version >/dev/null 2>&1; done; grep -q '^NoNewPrivs:.0' /proc/self/status && esc").real(),
    // The kernel.
    sh("mount", "mount -t tmpfs none $INSIDE && esc"),
    py("mount by call", "libc.mount(b'none',b'.',b'tmpfs',0,0)==0 and esc()"),
    py("bind", "libc.mount(b'/',b'.',0,4096,0)==0 and esc()"),
    py("make the read-only writable", "libc.mount(0,E['GIVEN'].encode(),0,32|4096,0)==0 and esc()"),
    py("unmount", "[libc.umount2(p,2)==0 and esc() for p in (b'/proc',b'/tmp',b'/dev',E['INSIDE'].encode())]"),
    py("a new root", "os.chroot('.'); esc()"),
    py("swap the root", "sysc(155,41,b'.',b'.')==0 and esc()"),
    py("a file system by the new calls", "sysc(430,430,b'tmpfs',0)>=0 and esc()"),
    py("a tree by the new calls", "sysc(428,428,-100,b'.',1)>=0 and esc()"),
    sh("a namespace of users", "unshare -U true && esc"),
    sh("a namespace of mounts", "unshare -m true && esc; unshare -Urm true && esc"),
    py("namespaces by call", "[libc.unshare(f)==0 and esc(hex(f)) for f in (0x10000000,0x20000,0x40000000,0x20000000,0x8000000,0x4000000)]"),
    py("namespaces by clone", "r=sysc(56,220,0x10000000|17,0,0,0,0); r==0 and os._exit(0); r>0 and esc()"),
    py("namespaces by the newest clone", "a=ctypes.create_string_buffer(struct.pack('11Q',0x10000000,0,0,0,17,0,0,0,0,0,0)); r=sysc(435,435,a,88); r==0 and os._exit(0); r>0 and esc()"),
    sh("enter the caller's namespaces", "nsenter -t $PARENT -a true && esc; nsenter -t $PARENT -m true && esc"),
    py("enter a namespace by handle", "libc.setns(os.pidfd_open(os.getppid() or 1),0x20000)==0 and esc()"),
    py("a ring", "b=ctypes.create_string_buffer(120); sysc(425,425,4,b)>=0 and esc()"),
    py("faults", "sysc(323,282,1)>=0 and esc()"),
    py("counters", "b=ctypes.create_string_buffer(struct.pack('IIQ',1,112,0)+bytes(96)); sysc(298,241,b,0,-1,-1,0)>=0 and esc()"),
    py("keys", "sysc(250,219,0,-3,1)>=0 and esc()"),
    py("add a key", "sysc(248,217,b'user',b'x',b'y',1,-3)>=0 and esc()"),
    py("ask for a key", "sysc(249,218,b'user',b'x',0,-3)>=0 and esc(); ctypes.get_errno()==errno.EPERM or esc('not filtered')"),
    py("programs in the kernel", "b=ctypes.create_string_buffer(struct.pack('IIIII',2,4,4,1,0)+bytes(100)); sysc(321,280,0,b,72)>=0 and esc()"),
    py("modules", "sysc(175,105,0,0,b'')==0 and esc(); ctypes.get_errno()==errno.EPERM or esc('not filtered')"),
    py("another kernel", "sysc(246,104,0,0,0,0)==0 and esc(); ctypes.get_errno()==errno.EPERM or esc('not filtered')"),
    py("restart", "sysc(169,142,1,2,3,0)==0 and esc(); ctypes.get_errno()==errno.EPERM or esc('not filtered')"),
    py("ports of the processor", "X or stop(); sysc(172,0,3)==0 and esc()"),
    py("messages of the kernel", "b=ctypes.create_string_buffer(99); libc.klogctl(3,b,99)>=0 and esc()"),
    py("watch every file", "sysc(300,262,0,0)>=0 and esc()"),
    py("swap", "libc.swapon(b'/dev/null',0)==0 and esc(); ctypes.get_errno()==errno.EPERM or esc('not filtered')"),
    py("accounts", "libc.acct(b'f')==0 and esc(); ctypes.get_errno()==errno.EPERM or esc('not filtered')"),
    py("name of the machine", "socket.sethostname('x'); esc()"),
    py("calls by another way", "X or stop(); r=sysc(0x40000000+39,0); r>0 and esc(r)"),
    py("calls by another way, filtered ones", "X or stop(); r=sysc(0x40000000+101,0,0,0,0,0); r==0 and esc()"),
    // The network.
    py("a connection", "socket.create_connection(('127.0.0.1',int(E['TCP'])),2); esc()").real(),
    py("a connection over six", "socket.create_connection(('::1',int(E['TCP'])),2); esc()"),
    sh("a connection by bash", "bash -c 'exec 3<>/dev/tcp/127.0.0.1/$TCP' && esc").real(),
    py("a connection by sending", "s=socket.socket(); s.settimeout(2); s.sendto(b'x',0x20000000,('127.0.0.1',int(E['TCP']))); esc()"),
    py("a connection of many paths", "s=socket.socket(socket.AF_INET,socket.SOCK_STREAM,262); s.settimeout(2); s.connect(('127.0.0.1',int(E['TCP']))); esc()"),
    py("a datagram", "socket.socket(socket.AF_INET,socket.SOCK_DGRAM).sendto(b'x',('127.0.0.1',int(E['UDP'])))").real(),
    py("a datagram over six", "socket.socket(socket.AF_INET6,socket.SOCK_DGRAM).sendto(b'x',('::ffff:127.0.0.1',int(E['UDP'])))").real(),
    py("the metadata service", "s=socket.socket(); s.settimeout(1); s.connect(('169.254.169.254',80)); esc()"),
    py("a question to a name server", "s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM); s.settimeout(.5); s.sendto(b'\\0\\1\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\1a\\0\\0\\1\\0\\1',('127.0.0.1',int(E['UDP']))); esc()").only(Tier::Landlock).real(),
    py("a name", "socket.getaddrinfo('example.com',80); esc()"),
    py("a socket in the file system", "s=socket.socket(socket.AF_UNIX); s.connect(E['SOCKET']); esc()").real(),
    py("a socket in a folder that is given", "s=socket.socket(socket.AF_UNIX); s.connect(E['GIVEN']+'/socket'); esc()").real(),
    py("a datagram into a folder that is given", "a,b=socket.socketpair(socket.AF_UNIX,socket.SOCK_DGRAM); a.sendto(b'x',E['GIVEN']+'/datagram'); esc()").real(),
    py("an abstract socket", "s=socket.socket(socket.AF_UNIX); s.connect('\\0'+E['ABSTRACT']); esc()").real(),
    py("an abstract socket by a pair", "a,b=socket.socketpair(socket.AF_UNIX,socket.SOCK_DGRAM); a.sendto(b'x','\\0'+E['ABSTRACT']+'d'); esc()").real(),
    py("an abstract socket by reconnecting a pair", "a,b=socket.socketpair(socket.AF_UNIX,socket.SOCK_DGRAM); a.connect('\\0'+E['ABSTRACT']+'d'); a.send(b'x'); esc()").real(),
    py("messages of the kernel by socket", "[ok(socket.socket,socket.AF_NETLINK,socket.SOCK_RAW,p) and esc(p) for p in (9,15,16,12,6)]"),
    py("raw packets", "ok(socket.socket,17,3,768) and esc(); ok(socket.socket,17,2,768) and esc()"),
    py("raw messages", "ok(socket.socket,socket.AF_INET,socket.SOCK_RAW,1) and esc()"),
    py("the virtual machine's host", "ok(socket.socket,40,1,0) and esc()").real(),
    py("ciphers of the kernel", "ok(socket.socket,38,5,0) and esc()"),
    py("odd families", "[ok(socket.socket,f,t,0) and esc(f) for f in (3,4,5,9,16+5,29,30,31,33,36,39,41,43,44) for t in (1,2,3,5)]"),
    // Exceeding limits. Each of these programs limits itself, so that a failing sandbox cannot harm the
    // machine that runs the test: at most 200 tasks or 600 MB, and each ends by itself within seconds. The
    // limits of such a job are far below: `CROWD` and `FILL`.
    sh("a fork bomb", "b(){ [ $1 -gt 0 ] || { sleep 4; return; }; b $(($1-1)) & b $(($1-1)) & wait; }; b 6").ends(End::Crowded),
    py("processes without end", "for i in range(160):\n  if os.fork()==0: time.sleep(4); os._exit(0)\ntime.sleep(4); esc()").ends(End::Crowded),
    py("a fork bomb of orphans", "for i in range(90):\n  if os.fork()==0:\n    os.setsid()\n    if os.fork()==0: time.sleep(4)\n    os._exit(0)\ntime.sleep(4); esc()").ends(End::Crowded),
    py("a bomb that ignores its failures", "for i in range(160):\n  try:\n    if os.fork()==0: time.sleep(4); os._exit(0)\n  except OSError: pass\ntime.sleep(4); esc()").ends(End::Crowded),
    py("children that fork while they are killed", "def b(n):\n  for i in range(2):\n    if n and os.fork()==0: b(n-1); os._exit(0)\n  signal.alarm(4); t=time.time()\n  while time.time()-t<3: pass\nb(6)").ends(End::Crowded),
    py("threads without end", "import threading\nthreading.stack_size(65536)\nfor i in range(160): threading.Thread(target=time.sleep,args=(4,),daemon=True).start()\ntime.sleep(4); esc()").ends(End::Crowded),
    py("memory at once", "try:\n  b=bytearray(600<<20); esc()\nexcept MemoryError: pass"),
    py("memory by and by", "l=[]\ntry:\n  while len(l)<60: l.append(bytearray(10<<20))\n  esc()\nexcept MemoryError: pass").ends(End::Any),
    py("shared memory", "import mmap\nn=500<<20\nm=mmap.mmap(-1,n)\nfor i in range(0,n,4096): m[i]=1\ntime.sleep(2); esc()").ends(End::Hungry),
    py("memory of many processes", "for i in range(10):\n  if os.fork()==0: b=bytearray(50<<20); time.sleep(4); os._exit(0)\ntime.sleep(4); esc()").ends(End::Hungry),
    sh("a large file", "head -c 100000000 /dev/zero > large"),
    py("a file of holes", "os.truncate(os.open('large',os.O_CREAT|os.O_WRONLY),1<<40); esc()").ends(End::Any),
    py("fill the private folder", "for i in range(64): open(f'/tmp/{i}','wb').write(bytes(1<<20))\nesc()").only(Tier::Bubblewrap),
    py("fill shared memory", "for i in range(64): open(f'/dev/shm/{i}','wb').write(bytes(1<<20))\nesc()"),
    py("files without end", "l=[open('/dev/null') for i in range(100000)]; esc()"),
    py("raise a limit", "[ok(resource.setrlimit,r,(v*2,v*2)) and esc(r) for r,v in ((r,resource.getrlimit(r)[1]) for r in (resource.RLIMIT_DATA,resource.RLIMIT_FSIZE,resource.RLIMIT_NOFILE))]"),
    sh("output without end", "timeout 20 yes").ends(End::Late),
    sh("errors without end", "timeout 20 yes >&2").ends(End::Late),
    sh("sleep", "sleep 60").ends(End::Late),
    py("ignore every signal", "[ok(signal.signal,s,signal.SIG_IGN) for s in range(1,64)]; time.sleep(60)").ends(End::Late),
    py("stop itself", "os.kill(os.getpid(),signal.SIGSTOP)").ends(End::Late),
    sh("close everything and sleep", "exec <&- >&- 2>&-; exec sleep 60").ends(End::Late),
    sh("calculate for long", "exec timeout 20 sh -c 'while :; do :; done'").ends(End::Late),
    sh("a process left behind", "sleep 6.0$MARK & "),
    sh("a process left in its own session", "setsid sleep 6.0$MARK & "),
    sh("a process left without streams", "setsid nohup sleep 6.0$MARK <&- >&- 2>&- & "),
    py("a daemon", "if os.fork()==0:\n  os.setsid(); signal.signal(15,signal.SIG_IGN)\n  if os.fork()==0: os.execv('/bin/sleep',['sleep','6.0'+E['MARK']])\n  os._exit(0)"),
    py("a daemon that forgets its parent", "if os.fork()==0:\n  libc.prctl(1,0); libc.prctl(36,1); os.setsid()\n  if os.fork()==0: os.execv('/bin/sleep',['sleep','6.0'+E['MARK']])\n  os._exit(0)"),
    sh("a core", "kill -SEGV $$").ends(End::Any),
];
