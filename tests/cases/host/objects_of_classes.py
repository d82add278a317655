from snekpy import stage
from typing import NamedTuple
from collections import deque, defaultdict, namedtuple
import math
class C:
    def __init__(self,r): self.r=r
    def area(self): return math.pi*self.r*self.r
    name="c"
class S:
    __slots__=("s",)
    def __init__(self,s): self.s=s
    def area(self): return self.s*self.s
    name="s"
class T(C):
    def __init__(self,r): super().__init__(r); self.k=1
    def area(self): return super().area()+self.k
    @property
    def twice(self): return 2*self.r
class G:
    def __getattr__(self,n): return lambda: 7.0
class D:
    def __init__(self,r): self.__dict__["r"]=r
    area=property(lambda self: (lambda: self.r))
class H(C):
    def __getattribute__(self,n): return object.__getattribute__(self,n)
class St:
    @staticmethod
    def area(): return 2.0
    name="st"
class Cl:
    @classmethod
    def area(cls): return 3.0
@stage
def total(ss):
    t=0.0
    for s in ss: t+=s.area()
    return t
@stage
def names(ss):
    out=[]
    for s in ss: out.append(s.name)
    return out
for mk in ([C],[C,S],[C,S,T],[C,S,T,H],[C,D],[C,S,T,H,D],[G],[C,G],[St],[C,St],[Cl,C]):
    for i in range(4):
        ss=[]
        for j in range(30):
            k=mk[(j*j+i)%len(mk)]
            ss.append(k() if k in (G,St,Cl) else k(j+i*0.5))
        print(total(ss))
        if all(k in (C,S,T,St) for k in mk): print(names(ss)[:5])
# shadowing in the instance
ss=[C(1.0) for _ in range(40)]
print(total(ss)); ss[20].area=lambda: 100.0; print(total(ss)); del ss[20].area; print(total(ss))
# class changes
old=C.area
C.area=lambda self: 1.0
print(total(ss)); C.area=old; print(total(ss))
C.name="cc"; print(names(ss)[:2]); ss[1].name="own"; print(names(ss)[:3])
ss[3].__class__=T; ss[3].k=5; print(total(ss))
# missing
del ss[30].r
try: print(total(ss))
except AttributeError as e: print(e, type(e).__name__)
ss[30].r="a"
try: print(total(ss))
except TypeError as e: print(e)
ss[30].r=2**70
print(total(ss))
@stage
def grow(ss,k):
    for s in ss:
        s.r=s.r+k
        s.new=s.r*2
    return ss[0].r
ss=[C(j) for j in range(25)]
for i in range(4): print(grow(ss,i+0.5), ss[3].__dict__)
class Sl:
    __slots__=("r","new","old")
    def __init__(self,r): self.r=r
ss=[Sl(j) for j in range(25)]
for i in range(4): print(grow(ss,i), ss[3].r, ss[3].new)
class P2:
    def __init__(self): self._r=1
    @property
    def r(self): return self._r
    @r.setter
    def r(self,v): self._r=v*10
ss=[P2() for j in range(25)]
for i in range(3): print(grow(ss,i), ss[3].__dict__)
class Ro:
    __slots__=("r",)
    def __init__(self,r): self.r=r
ss=[Ro(j) for j in range(25)]
for i in range(2):
    try: print(grow(ss,i))
    except AttributeError as e: print(e,ss[0].r,ss[1].r)
class R(NamedTuple):
    name: str
    qty: int
    price: float
    def val(self): return self.qty*self.price
@stage
def nt(rs):
    t={}
    for r in rs: t[r.name]=t.get(r.name,0)+r.qty*r.price+r.val()+r[1]
    return t
for i in range(4): print(nt([R("ab"[j%2],j,i+0.5) for j in range(30)]))
@stage
def ops(vs,n):
    t=vs[0]
    for v in vs:
        t=v+v
        if -v is None: return 0
        t=v*2
    return t.r
class A:
    def __init__(self,r): self.r=r
    def __add__(self,o): return A(self.r+o.r)
    def __mul__(self,k): return NotImplemented if k==3 else A(self.r*k)
    def __neg__(self): return A(-self.r)
class B(A):
    def __radd__(self,o): return A(1000)
for i in range(4): print(ops([A(j+i) for j in range(20)],2), ops([(A,B)[j%2](j) for j in range(20)],2))
@stage
def pairs(a,b):
    t=0
    for x,y in zip(a,b): t+=(x+y).r
    return t
for i in range(4): print(pairs([A(j) for j in range(20)],[B(j) for j in range(20)]),pairs([A(j) for j in range(20)],[A(j) for j in range(20)]))
class Eq:
    def __init__(self,r): self.r=r
    def __eq__(self,o): return self.r==o.r
@stage
def cmp(a,b):
    t=0
    for x in a:
        if x==b: t+=1
        if x!=b: t+=10
        if x in a: t+=100
        if x: t+=1000
    return t
for i in range(3): print(cmp([Eq(j%3) for j in range(20)],Eq(1)),cmp([C(1) for j in range(20)],C(1)))
@stage
def dq(n,m):
    q=deque(maxlen=m); s=0; o=[]
    for i in range(n):
        q.append((i,i*2)); q.appendleft(i)
        if len(q)>4:
            x=q.pop(); s+=x[1] if isinstance(x,tuple) else x
            s+=q[0] if not isinstance(q[0],tuple) else 3
    try:
        for i in range(100): q.popleft()
    except IndexError as e: o.append(str(e))
    return s,o,len(q)
for i in range(5): print(dq(20+i,None),dq(10,3))
@stage
def dd(n):
    d=defaultdict(list); e=defaultdict(int); f=defaultdict(lambda: 5)
    for i in range(n):
        d[i%3].append(i); e[(i%2,i%3)]+=i; f[i%4]+=1
        if i in d: e[i,i]=1
    return dict(d),dict(e),dict(f),len(d),d.get(99),sorted(e),99 in d
for i in range(4): print(dd(10+i))
@stage
def ba(n,k):
    b=bytearray(n); c=bytearray()
    try:
        for i in range(n+2):
            c.append(i*k%256)
            b[i]=i*k
    except (IndexError,ValueError) as e: return str(e),bytes(b),c
    return bytes(b),c,b[-1]
for k in (1,2,100,1): print(ba(10,k))
@stage
def dg(n):
    t=0
    for k in range(n):
        for ch in str(k*37-20):
            if ch!="-": t+=int(ch)
        for ch in f"{k}x{k+1}":
            if ch=="x": t+=1
    return t
for i in range(4): print(dg(40+i))
@stage
def tk(n,x):
    s=set(); d={}
    for i in range(n):
        s.add((i%5,x)); d[i%3,i%2]=d.get((i%3,i%2),0)+i; d[(i,"a")]=1.5; 
        if (i,x) in s: s.discard((i,x))
        if i%4==0 and (i%5,x) in s: s.remove((i%5,x))
    return sorted(s),d
for x in (1,2.5,float("nan"),True): print(tk(12,x)[0]==sorted(tk(12,x)[0]),tk(12,x)[1],len(tk(12,x)[0]))
